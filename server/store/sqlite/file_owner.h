// Who owns the files of a store.
#ifndef SLIPSTREAM_SERVER_STORE_SQLITE_FILE_OWNER_H_
#define SLIPSTREAM_SERVER_STORE_SQLITE_FILE_OWNER_H_

#include <string>

namespace slipstream::sqlite {

// If this process is root's, gives the file to the owner of its folder: what root restores or
// creates there, a server of that user's must be able to open. Does nothing otherwise.
void GiveToOwnerOfFolder(const std::string& path);

}  // namespace slipstream::sqlite

#endif  // SLIPSTREAM_SERVER_STORE_SQLITE_FILE_OWNER_H_
