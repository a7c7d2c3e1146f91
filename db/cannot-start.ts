/** An error the operator can fix. The process's main recognizes its name and prints the sentence, not a stack. */
export function cannotStart(sentence: string): Error {
  return Object.assign(new Error(sentence), { name: 'ConfigurationError' })
}

const DISK_FULL = 'docs/operating.md, "The disk is full", says what to do.'
const DAMAGED = 'docs/operating.md, "The file is damaged", says what to do.'

interface OpeningTrouble {
  file: string
  folder: string
  /** The process's user id, where the system has one. */
  user: number | null
  /** No room is left on the disk. */
  isFull: boolean
}

/**
 * Why a database file could not be opened, and the next step; null = unknown reason. `code` is SQLite's, such as
 * `SQLITE_CORRUPT_INDEX`, or the system's.
 */
export function openingProblem(
  code: string,
  { file, folder, user, isFull }: OpeningTrouble,
): { sentence: string; next: string } | null {
  if (/^(SQLITE_FULL|ENOSPC|EDQUOT)$/.test(code) || (isFull && /^SQLITE_(IOERR|CANTOPEN)/.test(code))) {
    return { sentence: `The disk of ${folder} is full.`, next: DISK_FULL }
  }
  if (/^SQLITE_IOERR/.test(code)) {
    const next = `See what this machine says about its disk (dmesg). ${DAMAGED}`
    return { sentence: `The disk of ${folder} fails (${code}).`, next }
  }
  if (/^SQLITE_(CORRUPT|NOTADB)/.test(code)) {
    const sentence = `The database ${file} is damaged, and nothing was changed in it.`
    return { sentence, next: DAMAGED }
  }
  if (/^(SQLITE_(CANTOPEN|READONLY|PERM|AUTH)|(EACCES|EPERM|EROFS|ENOTDIR|EEXIST)$)/.test(code)) {
    const who = user === null ? 'This process' : `This process (user ${user})`
    const next = `Give it the folder and the files in it, for example: chown -R ${user ?? '<user>'} ${folder}`
    return { sentence: `${who} cannot write in ${folder}.`, next }
  }
  if (code === 'SQLITE_BUSY') {
    const next = 'Run one Fieldhook only, and end what else has the file open.'
    return { sentence: `Another program holds the database ${file}.`, next }
  }
  return null
}
