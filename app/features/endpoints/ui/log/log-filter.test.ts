import { describe, expect, it } from 'vitest'
import { DEFAULT_LOG_FILTER } from '#app/features/events/log-view.ts'
import { logFilterQuery, readLogFilter } from './log-filter.ts'

const read = (query: string) => readLogFilter(new URLSearchParams(query))

describe('the filter of a log', () => {
  it('shows ten entries of the last day, however they were forwarded, with the answers', () => {
    expect(read('')).toEqual({ limit: 10, timeRange: 'day', forwardingStatus: 'all', hasDetails: true })
  })

  it('takes what is no choice for the usual', () => {
    expect(read('limit=7&timeRange=century&forwardingStatus=maybe')).toEqual(DEFAULT_LOG_FILTER)
  })

  it('knows a box that is not ticked from a form that was never sent', () => {
    expect(read('hasDetails=false').hasDetails).toBe(false)
    expect(read('hasDetails=false&hasDetails=true').hasDetails).toBe(true)
  })

  it('reads back what it wrote', () => {
    const filter = { limit: 25, timeRange: 'month', forwardingStatus: 'not_forwarded', hasDetails: false } as const
    expect(read(`${new URLSearchParams(logFilterQuery(filter))}`)).toEqual(filter)
  })
})
