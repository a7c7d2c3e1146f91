// A stored record in the wire's format.
import { fieldsOf } from './catalog.ts'
import { hash } from './geo.ts'
import { isoWithOffset } from './local-time.ts'
import type { Values } from './record-values.ts'

interface ViewOptions {
  /** In some records, always the same ones, flags have the other type (1 as "1", "1" as 1). */
  quotedFlags: boolean
  /** Header `sm-date-format: ISO8601`: times carry their offset. */
  iso: boolean
  zone: string
}

export function viewOf(objectKey: string, record: Values & { uuid: string }, options: ViewOptions): Values {
  const swapFlags = options.quotedFlags && hash(record.uuid) % 4 === 0
  if (!swapFlags && !options.iso) return record
  const view: Values = { ...record }
  for (const [name, field] of fieldsOf(objectKey)) {
    const value = view[name]
    if (swapFlags && field.format === 'flag') view[name] = String(value)
    else if (swapFlags && field.format === 'flag-string') view[name] = Number(value)
    else if (options.iso && field.format === 'sm8-datetime' && typeof value === 'string') {
      // Form responses are the exception: their time is UTC.
      const zone = objectKey === 'formresponse' && name === 'timestamp' ? 'UTC' : options.zone
      view[name] = isoWithOffset(value, zone)
    }
  }
  return view
}
