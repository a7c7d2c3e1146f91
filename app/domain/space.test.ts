import { describe, expect, it } from 'vitest'
import { fairShare, nextLevel, overShare, reaches, type SpaceLevel, spaceSentence, switchesOf } from './space.ts'

const LEVELS: SpaceLevel[] = ['enough', 'warn', 'shorten', 'lean', 'share', 'full']
const BUDGET = 1000
const PARTS = Array.from({ length: 1201 }, (_, used) => used)

/** Goes through these fills one after the other. */
const climb = (...fills: number[]) => {
  let level: SpaceLevel = 'enough'
  return fills.map((used) => {
    level = nextLevel(level, used, BUDGET)
    return level
  })
}

describe('the level', () => {
  it('begins at 80, 85, 90, 95 and 99.5 % of the budget', () => {
    expect(climb(799, 800, 850, 900, 950, 995)).toEqual(LEVELS)
    expect(climb(849, 899, 949, 994)).toEqual(['warn', 'shorten', 'lean', 'share'])
  })

  it('is reached at once, whatever the level before', () => {
    expect(climb(0, 996)).toEqual(['enough', 'full'])
    expect(climb(996, 0)).toEqual(['full', 'enough'])
  })

  it('ends 2 % of the budget below where it began', () => {
    expect(climb(995, 975, 974, 930, 929, 880, 879, 830, 829, 780, 779)).toEqual([
      'full',
      'full',
      'share',
      'share',
      'lean',
      'lean',
      'shorten',
      'shorten',
      'warn',
      'warn',
      'enough',
    ])
  })

  it('does not come and go with what wavers by less than that', () => {
    for (const edge of [800, 850, 900, 950, 995]) {
      const levels = climb(edge, ...Array.from({ length: 100 }, (_, round) => edge - ((round * 7) % 20)))
      expect(new Set(levels).size).toBe(1)
    }
  })

  it('is never lower for more bytes, nor for a higher level before', () => {
    for (const before of LEVELS) {
      for (const used of PARTS) {
        const level = nextLevel(before, used, BUDGET)
        expect(reaches(nextLevel(before, used + 1, BUDGET), level)).toBe(true)
        for (const higher of LEVELS.slice(LEVELS.indexOf(before))) {
          expect(reaches(nextLevel(higher, used, BUDGET), level)).toBe(true)
        }
      }
    }
  })

  it('stays what it is when nothing changes', () => {
    for (const before of LEVELS) {
      for (const used of PARTS) {
        const level = nextLevel(before, used, BUDGET)
        expect(nextLevel(level, used, BUDGET)).toBe(level)
      }
    }
  })
})

describe('what a level switches on', () => {
  it('is what the ladder says', () => {
    const roomy = {
      shortenBodies: false,
      shortenLog: false,
      keepSnippets: true,
      newReplays: true,
      growReplays: true,
      refuseOverShare: false,
      refuseAll: false,
    }
    const lean = { ...roomy, shortenBodies: true, shortenLog: true, keepSnippets: false, newReplays: false }
    const share = { ...lean, growReplays: false, refuseOverShare: true }
    expect(LEVELS.map(switchesOf)).toEqual([
      roomy,
      roomy,
      { ...roomy, shortenBodies: true },
      lean,
      share,
      { ...share, refuseAll: true },
    ])
  })

  it('is said to the operator with what helps', () => {
    const sentences = LEVELS.map((level) => spaceSentence(level, 97 * 2 ** 20, 100 * 2 ** 20))
    expect(new Set(sentences).size).toBe(LEVELS.length)
    for (const sentence of sentences) expect(sentence).toMatch(/^The database uses 97 % of its 100 MB\. /)
    for (const sentence of sentences.slice(1)) expect(sentence).toMatch(/MAX_DB_MB/)
    expect(sentences.at(-1)).toMatch(/503.*Waiting deliveries are safe/)
  })
})

describe('the share', () => {
  it('is nobody’s limit while all of it fits into 80 % of the budget', () => {
    expect(fairShare([700, 50, 50], BUDGET)).toBe(Number.POSITIVE_INFINITY)
    expect(fairShare([], BUDGET)).toBe(Number.POSITIVE_INFINITY)
  })

  it('gives what small accounts leave to the big ones', () => {
    expect(fairShare([900, 50, 50], BUDGET)).toBe(700)
    expect(fairShare([500, 400, 50], BUDGET)).toBe(375)
    expect(fairShare([990], BUDGET)).toBe(800)
  })

  it('of one account cannot be taken by another, however much that one has', () => {
    for (const flood of [500, 900, 5_000, 50_000]) {
      expect(fairShare([flood, 400], BUDGET)).toBeGreaterThanOrEqual(400)
      expect(fairShare([flood, flood, flood, 200], BUDGET)).toBeGreaterThanOrEqual(200)
    }
  })

  it('adds up: what is within it, and the share of everybody over it, are 80 % of the budget', () => {
    let seed = 7
    const chance = () => {
      seed = (seed * 16_807) % 2_147_483_647
      return seed / 2_147_483_647
    }
    for (let round = 0; round < 500; round++) {
      const bytes = Array.from({ length: 1 + Math.floor(chance() * 20) }, () => Math.floor(chance() ** 3 * 1_000))
      const share = fairShare(bytes, BUDGET)
      const total = bytes.reduce((sum, one) => sum + one, 0)
      if (total <= 800) expect(share).toBe(Number.POSITIVE_INFINITY)
      else expect(bytes.reduce((sum, one) => sum + Math.min(one, share), 0)).toBeCloseTo(800, 6)
    }
  })

  it('names the accounts over it, the biggest first, in bytes of what is used', () => {
    const weights = new Map([
      ['small', 10],
      ['big', 40],
      ['bigger', 50],
    ])
    expect(overShare(weights, 900, BUDGET)).toEqual({
      share: 355,
      accounts: [
        { accountUuid: 'bigger', bytes: 450 },
        { accountUuid: 'big', bytes: 360 },
      ],
    })
    expect(overShare(weights, 800, BUDGET).accounts).toEqual([])
    expect(overShare(new Map(), 900, BUDGET).accounts).toEqual([])
  })
})
