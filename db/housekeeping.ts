/** What each engine does in its own way: its file or server, not its rows. */
export interface Housekeeping {
  /** Has another process written since the previous call? */
  changedElsewhere(): Promise<boolean>
  /** Returns up to `pages` empty pages to the file system, where the engine does not do so by itself. */
  vacuumStep(pages: number): Promise<void>
  /** Writes the log into the database file; `truncate` also empties the log. */
  checkpoint(kind: 'passive' | 'truncate'): Promise<void>
  /** Like `checkpoint('truncate')`, but waits for readers at most this long. ms. True = the log is empty. */
  emptyLog(waitMs: number): Promise<boolean>
  /** Bytes. */
  spaceUsed(): Promise<{ fileBytes: number; freeBytes: number; walBytes: number }>
  /** Runs a deletion so that what it removed cannot be read from the free space afterwards. */
  erase<T>(work: () => Promise<T>): Promise<T>
}
