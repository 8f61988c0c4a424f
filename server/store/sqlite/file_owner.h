// Who owns the files of a store.
#ifndef SLIPSTREAM_SERVER_STORE_SQLITE_FILE_OWNER_H_
#define SLIPSTREAM_SERVER_STORE_SQLITE_FILE_OWNER_H_

#include <string>

namespace slipstream::sqlite {

// If this process is root's, gives an open file that it has made to the owner of its folder: what
// root restores or creates there, a server of that user's must be able to open. Does nothing to
// other users' files, and to files that have further names, which may be anywhere.
void GiveToOwnerOfFolder(int descriptor, const std::string& path);

// The same for a file that no connection of this process has open.
void GiveToOwnerOfFolder(const std::string& path);

// If this process is root's, makes an empty database file that belongs to the owner of its folder,
// before SQLite makes one. SQLite gives the log and the index to the same user.
void MakeForOwnerOfFolder(const std::string& path);

// Makes an empty database file that only its owner can read, unless there is one. SQLite gives the
// log and the index the same mode. A failure is left for SQLite to meet.
void MakePrivateFile(const std::string& path);

}  // namespace slipstream::sqlite

#endif  // SLIPSTREAM_SERVER_STORE_SQLITE_FILE_OWNER_H_
