// The operator's page as JSON: the same facts, times as ISO texts.
import { iso, isoOrNull } from '#app/lib/clock.ts'
import type { OperatorView } from './operator-view.ts'

export function operatorJson(view: OperatorView) {
  const { now, verdict, troubles, delivering, accounts, failing, space, kept, backups, held, machine, audit } = view
  return {
    now: iso(now),
    fine: troubles.length === 0,
    sentence: verdict.sentence,
    troubles,
    held,
    delivering: {
      ...delivering,
      loops: delivering.loops.map((loop) => ({ ...loop, lastBeatAt: isoOrNull(loop.lastBeatAt) })),
    },
    accounts: {
      ...accounts,
      lines: accounts.lines.map(({ lastEventAt, calls, ...line }) => ({
        ...line,
        lastEventAt: isoOrNull(lastEventAt),
        calls: { ...calls, pausedUntil: isoOrNull(calls.pausedUntil) },
      })),
    },
    failing: { ...failing, groups: failing.groups.map((group) => ({ ...group, since: iso(group.since) })) },
    space,
    kept: kept.map(({ id, what, long }) => ({ id, what, long })),
    backups: {
      setUp: backups.setUp,
      lastBackupAt: isoOrNull(backups.lastBackupAt),
      lastDrillAt: isoOrNull(backups.lastDrillAt),
      runs: backups.runs.map((run) => ({ ...run, startedAt: iso(run.startedAt), endedAt: isoOrNull(run.endedAt) })),
    },
    machine: { ...machine, startedAt: iso(machine.startedAt) },
    audit: {
      ...audit,
      since: iso(audit.since),
      lines: audit.lines.map((line) => ({ ...line, latestAt: iso(line.latestAt) })),
    },
  }
}
