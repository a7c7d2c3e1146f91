// The events of the proof: each has a number, and it is in what the platform calls the time of the change.

const BEGINNING = Date.UTC(2026, 0, 1)

interface Body {
  entry: { uuid: string; time: string }[]
}

export function eventBody(object: string, record: string, event: number): string {
  const time = new Date(BEGINNING + event * 1_000).toISOString().slice(0, 19).replace('T', ' ')
  return JSON.stringify({
    object,
    entry: [{ uuid: record, changed_fields: ['status'], time }],
    resource_url: `https://api.servicem8.com/api_1.0/${object}/${record}.json`,
  })
}

export function numberOf(body: string): number {
  const time = (JSON.parse(body) as Body).entry[0]?.time ?? ''
  return (Date.parse(`${time.replace(' ', 'T')}Z`) - BEGINNING) / 1_000
}

export function recordOf(body: string): string {
  return (JSON.parse(body) as Body).entry[0]?.uuid ?? ''
}

/** A record's id by its number. */
export function recordName(record: number): string {
  return `00000000-0000-4000-8000-${String(record).padStart(12, '0')}`
}
