import { expect, test } from 'vitest'
import {
  fileSizeLimit,
  fullDisk,
  onSlowDisk,
  pretendedDisk,
  slowDisk,
  type Trouble,
  throughTrouble,
} from '#lab/disk/trouble.ts'
import { buildShim } from '#lab/stage/shim.ts'
import { aboutTheFile } from '#tests/support/test-app.server.ts'

// `npm run prove:disk` adds read-only and failing disks, a kill while the disk is full, and longer runs.

const seed = Date.now() % 2 ** 32
const SLOW_MS = 50

test.skipIf(aboutTheFile('the disk of the file'))(
  'a full disk is answered 503, nothing acknowledged is lost, and it recovers without a restart',
  async () => {
    const found = await throughTrouble(aFullDisk(), { rate: 150, seed, ms: 1_000 })
    expect(found.refused).toBeGreaterThan(0)
    expect(found).toMatchObject({ otherAnswers: [], falselyAcknowledged: 0, health: 200 })
    expect(found.backAfter).not.toBeNull()
    expect(found).toMatchObject({ neverAnswered: 0, neverArrived: 0, drained: true })
    expect(found.file).toMatchObject({ integrity: 'ok', missing: [], undelivered: [], storedTwice: 0, waiting: 0 })
    expect(found.file.wrongCounters).toEqual([])
  },
)

test.skipIf(aboutTheFile('the disk of the file'))(
  'on a disk that takes 50 ms longer for each sync, events share one, and all are acknowledged and delivered',
  async () => {
    const found = await onSlowDisk(aSlowDisk(SLOW_MS), { rate: 200, seed, ms: 3_000, connections: 'kept' })
    expect(found).toMatchObject({ otherAnswers: [], neverAnswered: 0, neverArrived: 0, drained: true })
    expect(found.file).toMatchObject({ integrity: 'ok', missing: [], undelivered: [], storedTwice: 0, waiting: 0 })
    // The slower the machine, the more share one. How long they wait is shown by the command.
    if (found.syncs !== null) expect(found.meanwhile).toBeGreaterThan(2 * found.syncs)
  },
)

/** The most real one that is to be had on this machine. */
function aFullDisk(): Trouble {
  for (const find of [() => fullDisk(32), fileSizeLimit]) {
    const possible = find()
    if (possible.outcome === 'possible') return possible.trouble
    console.log(possible.sentence)
  }
  console.log('Instead, SQLite is told to refuse every write.')
  return pretendedDisk({ refuses: true })
}

function aSlowDisk(ms: number): Trouble {
  const shim = buildShim()
  if (shim.outcome === 'built') return slowDisk(shim.library, ms)
  console.log(`${shim.sentence} Instead of syncs, commits are slow.`)
  return pretendedDisk({ commitMs: ms })
}
