// The call of the operator's page.
import { z } from 'zod'
import { accountOfQuery, answered, moment, ofQuery, type Reference } from '#app/contract/operation.ts'
import { loadOperatorPage } from '#app/features/ops/operator-page.server.ts'
import { type Call, defineCall } from '#app/http/calls/define-call.server.ts'
import { answer } from '#app/http/respond.ts'
import { iso, isoOrNull } from '#app/lib/clock.ts'
import type { OperatorView } from '../../features/ops/operator-view.ts'

const operator = z
  .object({
    now: moment,
    fine: z
      .boolean()
      .describe('The installation needs nothing. Accounts may still need their owners: `accounts.needCare`.'),
    sentence: z.string(),
    troubles: z
      .array(z.object({ tone: z.enum(['failing', 'attention']), sentence: z.string() }))
      .describe('The most pressing first.'),
    held: z.boolean().describe('A restored copy that is held back: nothing is sent.'),
  })
  .catchall(z.unknown())
  .describe(
    'And what the page shows: `delivering`, `accounts`, `failing`, `space`, `kept`, `backups`, `machine`, `audit`.',
  )

export const operatorCalls: Reference<Call> = {
  tags: [{ name: 'Operating', says: 'How the installation is doing, for whoever runs it.' }],
  schemas: {},
  operations: [
    defineCall({
      id: 'showOperator',
      method: 'GET',
      path: 'api/operator',
      tag: 'Operating',
      summary: "Shows what the operator's page shows",
      description: [
        'Is everything fine, and if not, what needs somebody; then the facts behind it. `delivering.oldestDueAgeMs` is the one number to watch.',
        '`accounts.lines` has 15 accounts a page, those that need care first. Sizes are bytes; those marked `estimated` are about right. It holds numbers and states only: no address, record, text or secret of any account.',
      ],
      who: 'admin',
      parameters: [accountOfQuery, ofQuery('page', z.string(), 'Which page of the accounts.')],
      answers: [
        answered(200, 'How things stand.', operator, {
          now: '2026-11-22T01:10:00.000Z',
          fine: true,
          sentence: 'Everything is fine.',
          troubles: [],
          held: false,
        }),
      ],
      handle: async ({ app, query }) => answer(200, operatorJson(await loadOperatorPage(app, query.get('page')))),
    }),
  ],
}

// The operator's page as JSON: the same facts, times as ISO texts.
function operatorJson(view: OperatorView) {
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
      setUp: backups.setUp === true,
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
