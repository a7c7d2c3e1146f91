import { describe, expect, it } from 'vitest'
import { idsToTry, NOTHING_REMEMBERED } from './remembered.ts'

describe('what a browser remembers', () => {
  it('is tried in order: preferred in this session, then opened last', () => {
    expect(idsToTry({ preferred: 'ext-1', last: 'ext-2' }, [])).toEqual(['ext-1', 'ext-2'])
    expect(idsToTry({ preferred: 'ext-1', last: 'ext-1' }, [])).toEqual(['ext-1'])
    expect(idsToTry({ preferred: null, last: 'ext-2' }, [])).toEqual(['ext-2'])
    expect(idsToTry(NOTHING_REMEMBERED, [])).toEqual([])
  })

  it('is not loaded by itself when it begins with an excluded prefix', () => {
    expect(idsToTry({ preferred: 'Demo-1', last: 'ext-2' }, ['demo-'])).toEqual(['ext-2'])
    expect(idsToTry({ preferred: 'ext-1', last: 'DEMO-2' }, ['x', 'demo-'])).toEqual(['ext-1'])
    expect(idsToTry({ preferred: null, last: 'my-demo-2' }, ['demo-'])).toEqual(['my-demo-2'])
  })

  it('is left alone when it cannot be an id', () => {
    expect(idsToTry({ preferred: '<b>', last: '../x' }, [])).toEqual([])
  })
})
