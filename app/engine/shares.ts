// Who works for whose accounts, decided by each instance for itself. No clock, no I/O: spans are given.
import type { ClusterView, Member } from '#db/store/cluster.ts'

/** What an instance remembers of another one. */
export interface Heard {
  beats: number
  /** On our own clock: since when `beats` has not changed. */
  since: number
}

interface Decision {
  /** Members that were silent for a whole lease, or whose process has ended. */
  remove: Member[]
  /** How many free shares to take. */
  take: number
  /** Shares to give up: more than our part. */
  give: number[]
  /** What to remember until the next beat. */
  heard: Map<string, Heard>
}

export interface Situation {
  me: string
  view: ClusterView
  /** From the beat before. Empty after a beat that failed: who did not see cannot say that somebody was silent. */
  heard: ReadonlyMap<string, Heard>
  /** On our own clock, in ms. */
  now: number
  leaseMs: number
  /** False = this instance starts, ends or is held. */
  takes: boolean
  /** Is that process known to have ended? */
  isGone(process: string): boolean
}

export function decide({ me, view, heard, now, leaseMs, takes, isGone }: Situation): Decision {
  const others = view.members.filter(({ id }) => id !== me)
  const hearing = new Map<string, Heard>()
  for (const { id, beats } of others) {
    const before = heard.get(id)
    hearing.set(id, before?.beats === beats ? before : { beats, since: now })
  }
  const silent = ({ id }: Member) => now - (hearing.get(id)?.since ?? now) >= leaseMs
  const remove = others.filter((member) => silent(member) || isGone(member.process))
  const alive = others.filter((member) => member.takes && !remove.includes(member)).length + (takes ? 1 : 0)
  const fair = takes ? Math.ceil(view.shares.length / alive) : 0
  const ours = view.shares.filter(({ owner }) => owner === me).map(({ part }) => part)
  return {
    remove,
    take: Math.max(0, fair - ours.length),
    give: ours.slice(fair),
    heard: hearing,
  }
}
