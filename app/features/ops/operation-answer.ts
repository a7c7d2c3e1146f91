/** The result of a backup or a drill: the last line of its command with `--json`. */
export type OperationAnswer =
  | {
      outcome: 'done'
      name: string
      databaseBytes: number
      storedBytes: number
      detail: Record<string, unknown>
    }
  | { outcome: 'failed'; sentence: string }

/** The row to store. */
export function rowOf(answer: OperationAnswer) {
  if (answer.outcome === 'done') return { ...answer, message: '' }
  return { outcome: answer.outcome, message: answer.sentence, name: '', databaseBytes: 0, storedBytes: 0, detail: {} }
}
