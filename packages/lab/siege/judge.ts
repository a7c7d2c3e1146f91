// The requirements of a siege: only the attackers notice it.
import { percentile } from '../report/arguments.ts'
import type { Figure } from '../report/figures.ts'

/** Maximum p99 of acknowledgements, as a multiple of the same run's quiet phase. */
export const MOST_TIMES_QUIET = 3
/** Memory of the image's machine (fly.toml, compose.yml), MB. */
export const IMAGE_MB = 512

export interface SiegeSeen {
  /** Durations of ordinary acknowledgements, ms from the time their event was due. */
  quiet: readonly number[]
  besieged: readonly number[]
  /** Ordinary events without a 200, by their answer. */
  refused: ReadonlyMap<string, number>
  /** Acknowledged but never delivered to their address. */
  undelivered: number
  pages: { answered: number; unanswered: number; waits: readonly number[] }
  /** Peak memory of the process, MB; null where the system has no figure. */
  peakMb: number | null
  /** How the process ended prematurely. */
  ended: string | null
  /** Violations. */
  breaches: readonly string[]
}

export type Judged = Figure & { fault?: string }

/** The figures of the ordinary accounts and of the process, each with its bar. */
export function judgeSiege(seen: SiegeSeen): Judged[] {
  const { quiet, besieged, refused, undelivered, pages, peakMb, ended, breaches } = seen
  const [calm, stormy] = [percentile(quiet, 0.99), percentile(besieged, 0.99)]
  const times = stormy / calm
  const refusals = [...refused.values()].reduce((sum, count) => sum + count, 0)
  const kinds = [...refused].map(([what, count]) => `${count} × ${what}`).join(', ')
  const bar = (wanted: string, met: boolean, fault: string) => ({ bar: wanted, met, ...(!met && { fault }) })
  return [
    { name: 'ordinary acknowledgement, quiet, p50 / p99', value: pair(quiet) },
    { name: 'ordinary acknowledgement, besieged, p50 / p99', value: pair(besieged) },
    {
      name: 'times the quiet p99',
      value: besieged.length === 0 ? 'nothing was acknowledged' : Number(times.toFixed(1)),
      ...bar(
        `at most ${MOST_TIMES_QUIET}`,
        times <= MOST_TIMES_QUIET,
        `p99 is ${times.toFixed(1)} times the quiet one`,
      ),
    },
    {
      name: 'ordinary events refused or cut off',
      value: refusals === 0 ? 0 : kinds,
      ...bar('0', refusals === 0, `${refusals} ordinary events were refused or cut off: ${kinds}`),
    },
    {
      name: 'acknowledged and not delivered',
      value: undelivered,
      ...bar('0', undelivered === 0, `${undelivered} acknowledged events never arrived`),
    },
    {
      name: 'pages of ordinary accounts answered, p50 / p99',
      value: `${pages.answered}, ${pair(pages.waits)}`,
      ...bar('more than 0', pages.answered > 0, 'no page was answered'),
    },
    {
      name: 'pages of ordinary accounts not answered',
      value: pages.unanswered,
      ...bar('0', pages.unanswered === 0, `${pages.unanswered} pages were not answered`),
    },
    {
      name: 'memory of the process at its highest',
      value: peakMb === null ? 'not told by this system' : `${peakMb.toFixed(0)} MB`,
      ...bar(
        `under ${IMAGE_MB} MB`,
        peakMb === null || peakMb < IMAGE_MB,
        `the process held ${peakMb?.toFixed(0)} MB, the image has ${IMAGE_MB}`,
      ),
    },
    {
      name: 'the process',
      value: ended ?? 'ran on',
      ...bar('runs on', ended === null, `the process ended: ${ended}`),
    },
    {
      name: 'what must not happen and did',
      value: breaches.length === 0 ? 0 : breaches.join('; '),
      ...bar('0', breaches.length === 0, breaches.join('; ')),
    },
  ]
}

function pair(values: readonly number[]): string {
  if (values.length === 0) return 'none'
  return `${percentile(values, 0.5).toFixed(1)} / ${percentile(values, 0.99).toFixed(1)} ms`
}
