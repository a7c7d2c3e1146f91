/** How a backup or a drill ended: the last line of its command when it is asked with `--json`. */
export type OperationAnswer =
  | {
      outcome: 'done'
      name: string
      databaseBytes: number
      storedBytes: number
      detail: Record<string, unknown>
    }
  | { outcome: 'failed'; sentence: string }

/** As it is written down. */
export function rowOf(answer: OperationAnswer) {
  if (answer.outcome === 'done') return { ...answer, message: '' }
  return { outcome: answer.outcome, message: answer.sentence, name: '', databaseBytes: 0, storedBytes: 0, detail: {} }
}
