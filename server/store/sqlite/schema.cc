#include "server/store/sqlite/schema.h"

#include "absl/strings/str_cat.h"
#include "core/base/status.h"
#include "server/store/sqlite/checksum_vfs.h"

namespace slipstream::sqlite {
namespace {

// Opaque values that are large or seldom read come last in their row, or in a
// table of their own, so that an observation rewrites little. Only open trials
// are indexed: one that has ended has no index entry.
constexpr char kFirstSchema[] = R"sql(
CREATE TABLE studies(
  key INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  create_ms INTEGER NOT NULL,
  definition BLOB NOT NULL,
  candidates BLOB NOT NULL);

CREATE TABLE study_heads(
  key INTEGER PRIMARY KEY,
  state INTEGER NOT NULL,
  update_ms INTEGER NOT NULL,
  trial_count INTEGER NOT NULL,
  succeeded_count INTEGER NOT NULL,
  suggested_count INTEGER NOT NULL,
  display_name TEXT NOT NULL,
  labels BLOB NOT NULL);

CREATE TABLE trials(
  id INTEGER PRIMARY KEY,
  state INTEGER NOT NULL,
  suggested INTEGER NOT NULL,
  candidate INTEGER,
  create_ms INTEGER NOT NULL,
  start_ms INTEGER,
  end_ms INTEGER,
  objective REAL,
  worker TEXT NOT NULL,
  reason TEXT NOT NULL,
  measurement BLOB NOT NULL,
  configuration BLOB NOT NULL);
CREATE INDEX open_trials ON trials(state, worker) WHERE state = 1 OR state = 2;

CREATE TABLE provenances(id INTEGER PRIMARY KEY, provenance BLOB NOT NULL);

CREATE TABLE source_tasks(
  key INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  create_ms INTEGER NOT NULL,
  observation_count INTEGER NOT NULL,
  measured_count INTEGER NOT NULL,
  definition BLOB NOT NULL);

CREATE TABLE source_chunks(
  source_key INTEGER NOT NULL,
  position INTEGER NOT NULL,
  data BLOB NOT NULL);
CREATE UNIQUE INDEX source_chunks_in_order ON source_chunks(source_key, position);

CREATE TABLE study_sources(
  study_key INTEGER NOT NULL,
  position INTEGER NOT NULL,
  source_key INTEGER NOT NULL,
  PRIMARY KEY(study_key, position)) WITHOUT ROWID;
CREATE INDEX study_sources_by_source ON study_sources(source_key, study_key);

CREATE TABLE study_purges(
  study_key INTEGER PRIMARY KEY,
  next_number INTEGER NOT NULL,
  last_number INTEGER NOT NULL);

CREATE TABLE answers_0(
  request_id TEXT PRIMARY KEY,
  fingerprint BLOB NOT NULL,
  answer BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE answers_1(
  request_id TEXT PRIMARY KEY,
  fingerprint BLOB NOT NULL,
  answer BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE answer_generation(current INTEGER NOT NULL, since_ms INTEGER);
INSERT INTO answer_generation VALUES(0, NULL);

PRAGMA application_id = 1397510227;
)sql";
static_assert(kStoreApplicationId == 1397510227);

// Padding in the rows of open trials, so that the UPDATEs of a lease and an outcome fit in place.
// Rows are stored without gaps: one that grew would split its page, and at the next commit SQLite
// would search its whole page cache.
constexpr char kPaddingInOpenTrials[] = "ALTER TABLE trials ADD COLUMN room BLOB";

// Studies of before have leases that never end, as they had; see lease_clock.h for the clock.
constexpr char kLeasesAndReports[] = R"sql(
ALTER TABLE study_heads ADD COLUMN late_count INTEGER NOT NULL DEFAULT 0;
ALTER TABLE study_heads ADD COLUMN lease_ms INTEGER NOT NULL DEFAULT 0;
ALTER TABLE study_heads ADD COLUMN max_requeues INTEGER NOT NULL DEFAULT 0;

ALTER TABLE trials ADD COLUMN lease_end INTEGER;
ALTER TABLE trials ADD COLUMN requeue_of INTEGER NOT NULL DEFAULT 0;
ALTER TABLE trials ADD COLUMN requeued_as INTEGER NOT NULL DEFAULT 0;
ALTER TABLE trials ADD COLUMN requeues INTEGER NOT NULL DEFAULT 0;
ALTER TABLE trials ADD COLUMN host TEXT NOT NULL DEFAULT '';
ALTER TABLE trials ADD COLUMN process INTEGER NOT NULL DEFAULT 0;
ALTER TABLE trials ADD COLUMN report_count INTEGER NOT NULL DEFAULT 0;
ALTER TABLE trials ADD COLUMN last_step INTEGER;
ALTER TABLE trials ADD COLUMN last_value REAL;
ALTER TABLE trials ADD COLUMN labels BLOB NOT NULL DEFAULT x'';
ALTER TABLE trials ADD COLUMN note TEXT NOT NULL DEFAULT '';

-- Unknown in studies of before until their next result.
ALTER TABLE study_heads ADD COLUMN best REAL;

-- A row holds the events of one transaction; see event_log.h.
CREATE TABLE event_blocks(
  last INTEGER PRIMARY KEY,
  first INTEGER NOT NULL,
  events BLOB NOT NULL);

CREATE TABLE lease_clock(
  key INTEGER PRIMARY KEY CHECK(key = 0),
  lease_ms INTEGER NOT NULL,
  wall_ms INTEGER NOT NULL);

CREATE TABLE reports(
  trial_id INTEGER NOT NULL,
  step INTEGER NOT NULL,
  value REAL NOT NULL,
  PRIMARY KEY(trial_id, step)) WITHOUT ROWID;
)sql";

// From here on only programs that keep checksums of pages may write to the file; a file that
// was made before is given them by the next step.
constexpr char kBeforeChecksums[] = "";
// Not SQL: see GiveForm.
constexpr char kFileForm[] = "form";

// What studies and source tasks take of their projects' quotas, as usage.h counts it.
constexpr char kBytes[] = R"sql(
ALTER TABLE study_heads ADD COLUMN bytes INTEGER NOT NULL DEFAULT 0;
ALTER TABLE source_tasks ADD COLUMN bytes INTEGER NOT NULL DEFAULT 0;

UPDATE study_heads SET bytes =
  coalesce((SELECT length(definition) + length(candidates) FROM studies
            WHERE studies.key = study_heads.key), 0)
  + coalesce((SELECT sum(200 + 24 * report_count + length(configuration) + length(measurement)
                         + length(CAST(reason AS BLOB)) + length(labels)
                         + length(CAST(note AS BLOB)))
              FROM trials
              WHERE id BETWEEN study_heads.key << 24 AND (study_heads.key << 24) + 16777215), 0)
  + coalesce((SELECT sum(length(provenance)) FROM provenances
              WHERE id BETWEEN study_heads.key << 24 AND (study_heads.key << 24) + 16777215), 0);

UPDATE source_tasks SET bytes = length(definition)
  + coalesce((SELECT sum(length(data)) FROM source_chunks WHERE source_key = source_tasks.key), 0);
)sql";
// From here on only programs that mark the file (file_mark.h) may write to it.
constexpr char kMarks[] = "";

// A list of one project reads only its page: the ids of a project are those that begin with its
// name and a slash, and those of the project "default" have no slash. Large source tasks are stored
// and erased in parts; see row_purge.h.
constexpr char kListsAndParts[] = R"sql(
CREATE INDEX studies_of_projects ON studies(substr(id, 1, instr(id, '/')));
CREATE INDEX source_tasks_of_projects ON source_tasks(substr(id, 1, instr(id, '/')));

CREATE TABLE source_purges(
  source_key INTEGER PRIMARY KEY,
  next_chunk INTEGER NOT NULL,
  last_chunk INTEGER NOT NULL);
)sql";

static_assert(kTrialNumberBits == 24 && kMaxTrialNumber == 16777215);

constexpr const char* kSteps[] = {
    kFirstSchema, kPaddingInOpenTrials, kLeasesAndReports, kBeforeChecksums,
    kFileForm,    kBytes,               kMarks,            kListsAndParts};
static_assert(kSteps[kFirstVersionInForm - 1] == kFileForm);
static_assert(kSteps[kFirstVersionWithMarks - 1] == kMarks);

absl::StatusOr<int64_t> Number(Connection& connection, const char* sql) {
  Query query(connection, sql);
  SLIPSTREAM_RETURN_IF_ERROR(query.Run());
  return query.Integer(0);
}

// Lets free pages be given back to the file system.
constexpr char kAutoVacuum[] = "PRAGMA auto_vacuum = INCREMENTAL";

// Gives an older file the form that a new one has from the beginning: rewrites all of it. Its
// temporary copy is a file, whatever the connection does otherwise.
absl::Status GiveForm(Connection& connection) {
  SLIPSTREAM_ASSIGN_OR_RETURN(const int64_t vacuum, Number(connection, "PRAGMA auto_vacuum"));
  constexpr int64_t kIncremental = 2;
  if (vacuum == kIncremental) return absl::OkStatus();
  SLIPSTREAM_ASSIGN_OR_RETURN(const int64_t temporary, Number(connection, "PRAGMA temp_store"));
  SLIPSTREAM_RETURN_IF_ERROR(RequestChecksums(connection));
  SLIPSTREAM_RETURN_IF_ERROR(connection.Execute(kAutoVacuum));
  SLIPSTREAM_RETURN_IF_ERROR(connection.Execute("PRAGMA temp_store = FILE; VACUUM"));
  return connection.Execute(
      absl::StrCat("PRAGMA temp_store = ", temporary, "; PRAGMA wal_checkpoint(TRUNCATE)"));
}

absl::Status RunStep(Connection& connection, const char* sql, int64_t version) {
  if (sql == kFileForm) {
    SLIPSTREAM_RETURN_IF_ERROR(GiveForm(connection));
    sql = "";
  }
  SLIPSTREAM_RETURN_IF_ERROR(connection.Execute(version == 1 ? "BEGIN" : "BEGIN IMMEDIATE"));
  // A new file gets its form with its first page, which the first writing statement makes.
  absl::Status status = version == 1 ? connection.Execute(kAutoVacuum) : absl::OkStatus();
  if (status.ok()) status = connection.Execute(sql);
  if (status.ok()) status = connection.Execute(absl::StrCat("PRAGMA user_version = ", version));
  if (status.ok()) status = connection.Execute("COMMIT");
  if (!status.ok()) (void)connection.RollBack();
  return status;
}

}  // namespace

absl::Span<const char* const> SchemaSteps() { return kSteps; }

absl::Status CheckSchemaVersion(int64_t version, int64_t newest, absl::string_view path) {
  if (version <= newest) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat("the store ", path, " has schema version ",
                                                    version, ", this program knows versions up to ",
                                                    newest,
                                                    "; use the newer program that wrote it, or "
                                                    "restore a backup from before the upgrade"));
}

absl::StatusOr<int64_t> SchemaVersionOf(Connection& connection) {
  return Number(connection, "PRAGMA user_version");
}

absl::Status MigrateSchema(Connection& connection, absl::Span<const char* const> steps) {
  SLIPSTREAM_ASSIGN_OR_RETURN(int64_t version, SchemaVersionOf(connection));
  const auto newest = static_cast<int64_t>(steps.size());
  SLIPSTREAM_RETURN_IF_ERROR(CheckSchemaVersion(version, newest, connection.path()));
  if (version == 0) SLIPSTREAM_RETURN_IF_ERROR(RequestChecksums(connection));
  for (; version < newest; ++version) {
    SLIPSTREAM_RETURN_IF_ERROR(
        RunStep(connection, steps[static_cast<size_t>(version)], version + 1));
  }
  return absl::OkStatus();
}

}  // namespace slipstream::sqlite
