import { describe, expect, it, vi } from 'vitest'
import { createSuggestions, nearestOf } from './name-suggestion.ts'

describe('the nearest name', () => {
  it('is one a letter or two away, whatever its case and its separators', () => {
    expect(nearestOf('job_adress', ['status', 'job_address'])).toBe('job_address')
    expect(nearestOf('Job Adress', ['status', 'job_address'])).toBe('job_address')
    expect(nearestOf('weather', ['status', 'job_address'])).toBeNull()
  })
})

describe('suggestions', () => {
  it('are looked for five times, each name once', () => {
    const names = vi.fn(() => ['status'])
    const suggest = createSuggestions()
    const asked = ['statu', 'stats', 'statu', 'sttus', 'tatus', 'statuz', 'statux']
    expect(asked.map((name) => suggest(name, names))).toEqual([...Array(6).fill('status'), null])
    expect(names).toHaveBeenCalledTimes(5)
  })
})
