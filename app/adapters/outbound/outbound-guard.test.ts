import { describe, expect, test } from 'vitest'
import { CORPUS, runCorpus, runLiterals, runRebinding, type Way } from '#tests/support/guard-trial.server.ts'

describe.each<Way>(['post', 'probe'])('the address guard, through the real %s', (way) => {
  test('agrees with all 197 cases of the corpus, and opens no socket for a refused one', async () => {
    expect(CORPUS).toHaveLength(197)
    expect(await runCorpus(CORPUS, way)).toEqual({
      cases: 197,
      agreed: 197,
      disagreements: [],
      socketsOpened: [],
      canaryHits: 0,
    })
  })

  test('refuses every spelling of loopback before a socket is opened, where a guard in the lookup alone lets them through', async () => {
    const result = await runLiterals(way)
    expect(result).toMatchObject({ tried: 42, refused: 42, socketsOpened: [], canaryHits: 0 })
    expect(result.control.canaryHits).toBeGreaterThan(20)
    expect(result.control.socketsOpened).toBeGreaterThan(20)
  })

  test('refuses names that turn private between two questions to a real DNS server, where checking first and dialling later falls for them', async () => {
    const result = await runRebinding(way)
    expect(result).toMatchObject({ tried: 8, refused: 8, socketsOpened: [], canaryHits: 0 })
    expect(result.control.canaryHits).toBeGreaterThan(1)
    expect(result.control.socketsOpened).toBeGreaterThan(1)
  })
})
