/** An error the operator can fix. The process's main recognizes its name and prints the sentence, not a stack. */
export function cannotStart(sentence: string): Error {
  return Object.assign(new Error(sentence), { name: 'ConfigurationError' })
}

const FULL = 'docs/operating.md, "The disk is full", says what to do.'
const DAMAGED = 'docs/operating.md, "The file is damaged", says what to do.'

/**
 * Why a database file could not be opened, and the next step; null = unknown reason. `code` is SQLite's, such as
 * `SQLITE_CORRUPT_INDEX`, or the system's. `user` is the process's user id, where the system has one.
 */
export function openingProblem(
  code: string,
  { file, folder, user, isFull }: { file: string; folder: string; user: number | null; isFull: boolean },
): { sentence: string; next: string } | null {
  const found = (sentence: string, next: string) => ({ sentence, next })
  if (/^(SQLITE_FULL|ENOSPC|EDQUOT)$/.test(code) || (isFull && /^SQLITE_(IOERR|CANTOPEN)/.test(code)))
    return found(`The disk of ${folder} is full.`, FULL)
  if (/^SQLITE_IOERR/.test(code))
    return found(`The disk of ${folder} fails (${code}).`, `See what this machine says about it (dmesg). ${DAMAGED}`)
  if (/^SQLITE_(CORRUPT|NOTADB)/.test(code))
    return found(`The database ${file} is damaged, and nothing was changed in it.`, DAMAGED)
  if (/^(ENOTDIR|EEXIST)$/.test(code))
    return found(`${file} cannot be a folder: a file is in its place, or above it.`, 'Name another place.')
  const who = user === null ? 'This process' : `This process (user ${user})`
  // No command: nobody knows whose place it is. It may be /etc.
  if (/^(EACCES|EPERM|EROFS)$/.test(code))
    return found(`${who} cannot write ${file}.`, 'Give it to this user, or name another place.')
  if (/^SQLITE_(CANTOPEN|READONLY|PERM|AUTH)/.test(code)) {
    const next = `Give it the folder and the files of the database: chown ${user ?? '<user>'} ${folder} ${file}*`
    return found(`${who} cannot write in ${folder}.`, next)
  }
  if (code !== 'SQLITE_BUSY') return null
  const next = 'Run one Fieldhook only, and end what else has the file open.'
  return found(`Another program holds the database ${file}.`, next)
}
