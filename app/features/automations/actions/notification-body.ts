// The body of send_notification: JSON, built from the rule's `name=value` rows or from a plain message. Braces of free
// JSON are not parsed; values are filled in after the rows are split, so no value can add a name.
import { splitOutside } from './receivers.ts'

interface NotificationRow {
  name: string
  /** With placeholders. */
  value: string
}

const NAME = /^[A-Za-z_][\w.-]{0,99}$/

/** `event=job_completed; job={entry.0.generated_job_id}` as rows; null when the text is a plain message. */
export function readRows(message: string): NotificationRow[] | null {
  const rows = splitOutside(message, /[;\r\n]/).map((part) => {
    const equals = part.indexOf('=')
    return { name: part.slice(0, Math.max(0, equals)).trim(), value: part.slice(equals + 1).trim() }
  })
  return rows.length > 0 && rows.every(({ name }) => NAME.test(name)) ? rows : null
}

/** The rows as lines, for a program that shows text. */
export function rowsText(rows: readonly NotificationRow[]): string {
  return rows.map(({ name, value }) => `${name}: ${value}`).join('\n')
}

/** JSON text. `fromEntries` creates own properties, so a row named `__proto__` is an ordinary row. */
export function notificationJson(input: {
  message: string
  rows: readonly { name: string; value: string }[] | null
  automation: { id: number; name: string } | null
  job: Record<string, string> | null
  jobs: number
}): string {
  const { message, rows, automation, job, jobs } = input
  return JSON.stringify({
    message,
    automation,
    job,
    ...(jobs > 1 && { jobs }),
    ...(rows && { data: Object.fromEntries(rows.map(({ name, value }) => [name, value])) }),
  })
}
