// The judgement of `npm run doctor` on a PostgreSQL server: facts in, findings out.

import type { ServerFigures } from '#app/domain/server-figures.ts'
import { sizeText } from '#app/domain/size-text.ts'
import { plural } from '#app/domain/time/moments.ts'
import type { Millis } from '../../lib/clock.ts'
import { hours, seconds } from '../../lib/duration.ts'
import {
  bad,
  configuration,
  content,
  copy,
  type Finding,
  FULL_AT,
  good,
  isOnHold,
  NEARLY_FULL_AT,
  nodeVersion,
  ofOtherPlatform,
  span,
  warning,
} from './doctor.ts'
import type { ConfigurationFacts, ContentFacts } from './doctor-facts.ts'

export interface ServerFacts {
  now: Millis
  configuration: ConfigurationFacts
  node: string
  /** Null = the configuration names none. */
  server: LookedAt | null
}

type LookedAt =
  | { outcome: 'unreachable'; sentence: string }
  | {
      outcome: 'opened'
      figures: ServerFigures
      schema: { newestApplied: string | null; pending: number; ahead: boolean } | { refused: string }
      otherPlatform: string | null
      held: boolean
      running: boolean
      /** Null = its schema is from another release, so the content cannot be read. */
      content: ContentFacts | null
    }

const CLOCK_OFF = seconds(1)
const ARCHIVED_WITHIN = hours(1)
const BASE_BACKUP_WITHIN = hours(24 * 8)

export function examineServer(facts: ServerFacts): Finding[] {
  const { server } = facts
  const before = [...configuration(facts.configuration, null), nodeVersion(facts)]
  if (server === null) return before
  if (server.outcome === 'unreachable') {
    return [...before, bad('server', server.sentence, 'Then run the doctor again.')]
  }
  const { figures, schema, held } = server
  return [
    ...before,
    settings(figures),
    schemaOf(schema),
    ...ofOtherPlatform(server.otherPlatform),
    ...copy('server', held),
    standbys(figures),
    ...archive(figures, facts.now),
    ...load(figures),
    size(figures, facts.configuration),
    ...(isOnHold(facts, held) ? [] : members(figures)),
    ...(server.content ? content(facts, server, server.content) : []),
  ]
}

function settings({ version, refused }: ServerFigures): Finding {
  if (refused) return bad('server', refused, 'Until then Fieldhook does not start: docs/operating.md, "PostgreSQL".')
  return good('server', `PostgreSQL ${version}, asked directly: it keeps what it commits.`)
}

function schemaOf(facts: Extract<LookedAt, { outcome: 'opened' }>['schema']): Finding {
  if ('refused' in facts) return bad('schema', facts.refused, 'docs/operating.md, section 7.')
  const name = facts.newestApplied ?? 'nothing of ours'
  if (facts.pending > 0) {
    const next = 'Run npm run migrate, or start this release. Until then only part of the examination is possible.'
    return warning('schema', `The schema is at ${name}; this release adds ${plural(facts.pending, 'change')}.`, next)
  }
  return good(
    'schema',
    facts.ahead
      ? `The schema is a newer release's, and serves this one: ${name}.`
      : `The schema is this release's: ${name}.`,
  )
}

/** Does an acknowledged event survive the loss of the server? */
function standbys({ synchronousCommit, standbyNames, standbys: { all, confirming } }: ServerFigures): Finding {
  const there = `${plural(all, 'standby', 'standbys')} connected`
  if (standbyNames === '' || synchronousCommit === 'local') {
    const next = 'Set synchronous_standby_names, or be sure that your provider copies each commit to another disk.'
    return warning(
      'server',
      `Acknowledged events do not survive the loss of the server: ${there}, none waited for.`,
      next,
    )
  }
  if (confirming === 0) {
    const next = 'Start a standby that is named there. Until then no event is accepted.'
    return bad('server', `Commits wait for "${standbyNames}", and none of them is connected.`, next)
  }
  const count = confirming === null ? '' : `, ${confirming} of them waited for`
  return good('server', `Acknowledged events survive the loss of the server: ${there}${count}.`)
}

function archive({ archive: { mode, lastAt, failedAt, baseBackupAt } }: ServerFigures, now: Millis): Finding[] {
  const next = 'Set up archiving and base backups on the server, or ask your provider: docs/operating.md, "PostgreSQL".'
  if (mode === 'off') return [warning('backups', 'The server archives nothing (archive_mode = off).', next)]
  const found: Finding[] = []
  if (failedAt !== null) {
    found.push(bad('backups', `The server could not archive its log ${span(now - failedAt)} ago.`, next))
  } else if (lastAt === null) found.push(warning('backups', 'The server has archived nothing yet.', next))
  else if (now - lastAt > ARCHIVED_WITHIN) {
    const often = 'Set archive_timeout, so that quiet hours are archived too.'
    found.push(warning('backups', `The server archived its log ${span(now - lastAt)} ago.`, often))
  } else found.push(good('backups', `The server archived its log ${span(now - lastAt)} ago.`))
  if (baseBackupAt === null) {
    const look = 'Make one every day or week (pg_basebackup), and try to restore it. Providers show it on their page.'
    found.push(warning('backups', 'No base backup can be seen from here.', look))
  } else if (now - baseBackupAt > BASE_BACKUP_WITHIN) {
    found.push(
      warning('backups', `The newest base backup is ${span(now - baseBackupAt)} old.`, 'Make one: pg_basebackup.'),
    )
  } else found.push(good('backups', `The newest base backup is ${span(now - baseBackupAt)} old.`))
  return found
}

function load({ longTransactions: long, bloated, connections, clock }: ServerFigures): Finding[] {
  const found: Finding[] = []
  if (long.count > 0) {
    const next = 'Find it in pg_stat_activity and end it: meanwhile dead rows stay and changes of tables wait.'
    const sentence = `${plural(long.count, 'transaction')} open for more than a minute, the oldest for ${span(long.longestMs)}.`
    found.push(warning('server', sentence, next))
  }
  for (const { table, share, vacuumedAt } of bloated) {
    const since = vacuumedAt === null ? 'never vacuumed' : `last vacuumed at ${new Date(vacuumedAt).toISOString()}`
    const next = `Let autovacuum run more often, or once by hand: VACUUM ${table}`
    found.push(warning('space', `${Math.round(share * 100)} % of the rows of ${table} are dead, ${since}.`, next))
  }
  const used = `${connections.used} of ${connections.most} connections of the server are used.`
  const raise = 'Raise max_connections, or end what else uses the server. An instance needs up to 14.'
  const crowded = connections.used > connections.most * NEARLY_FULL_AT
  found.push(crowded ? warning('server', used, raise) : good('server', used))
  const off = Math.round(Math.abs(clock.offsetMs))
  if (off - clock.tookMs > CLOCK_OFF) {
    const next = 'Let both machines take their time from NTP.'
    found.push(warning('server', `The clocks of this machine and of the server differ by ${span(off)}.`, next))
  } else found.push(good('server', 'The clocks of this machine and of the server agree.'))
  return found
}

/** By what the space ladder counts: it refuses events as the database reaches its maximum, however large the disk is. */
function size({ bytes: { whole, free } }: ServerFigures, given: ConfigurationFacts): Finding {
  const takes = `The database takes ${sizeText(whole)} on the server, ${sizeText(free)} of it free for reuse`
  if (given.outcome === 'wrong') return good('space', `${takes}.`)
  const limit = given.maxDbMb * 2 ** 20
  const sentence = `${takes}; MAX_DB_MB allows ${sizeText(limit)}.`
  const part = (whole - free) / limit
  if (part < NEARLY_FULL_AT) return good('space', sentence)
  const next =
    'Raise MAX_DB_MB if the disk of the server has room, or lower RETENTION_DAYS. From 95 % on, events are refused.'
  return (part < FULL_AT ? warning : bad)('space', sentence, next)
}

function members({ members: facts }: ServerFigures): Finding[] {
  if (!facts) return []
  const who = facts.members.map(({ id, version, shares }) => `${id} (${version}) with ${shares}`).join(', ')
  const all = `${plural(facts.members.length, 'instance')}${who && `: ${who}`}`
  if (facts.unowned === 0) return [good('members', `All ${facts.shares} shares of the work have an owner; ${all}.`)]
  const next = 'Living instances take them within seconds. If it stays so, start an instance.'
  return [warning('members', `${facts.unowned} of ${facts.shares} shares have no owner; ${all}.`, next)]
}
