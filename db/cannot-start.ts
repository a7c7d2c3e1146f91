/** An error the operator can fix. The process's main recognizes its name and prints the sentence, not a stack. */
export function cannotStart(sentence: string): Error {
  return Object.assign(new Error(sentence), { name: 'ConfigurationError' })
}

/**
 * Why a database file could not be opened, as a sentence with the next step; null = unknown reason. `code` is SQLite's,
 * such as `SQLITE_CORRUPT_INDEX`. `user` is the process's user id, where the system has one.
 */
export function openingProblem(code: string, file: string, folder: string, user: number | null): string | null {
  if (/^SQLITE_(CORRUPT|NOTADB)/.test(code)) {
    return `The database ${file} is damaged, and nothing was changed in it. docs/operating.md, "The file is damaged", says what to do.`
  }
  if (/^SQLITE_(CANTOPEN|READONLY|PERM|AUTH)/.test(code)) {
    const who = user === null ? 'this process' : `this process (user ${user})`
    return `${who[0]?.toUpperCase()}${who.slice(1)} cannot write in ${folder}. Give it the folder and the files in it, for example: chown -R ${user ?? '<user>'} ${folder}`
  }
  if (code === 'SQLITE_BUSY') {
    return `Another program holds the database ${file}. Run one Fieldhook only, and end what else has the file open.`
  }
  return null
}
