// Reads the platform's pick-lists, each at most once a minute per account, however many screens need it.
import type { AccountCallResult, PlatformRecord } from '#app/adapters/platform.ts'
import type { App } from '#app/context/app-context.ts'
import { FORM_LIST, type FormLists, toFormLists } from '#app/features/automations/rules/form-lists.ts'
import { keptFor } from './kept-lists.server.ts'
import {
  API_NAMES,
  type ApiName,
  bytesOf,
  isShortList,
  keptOfRecord,
  type LookupName,
  lookupRecords,
  MOST_LISTED,
  NOT_SIGNED_IN,
  OBJECT_OF,
} from './lookups.ts'

type LookupApp = Pick<App, 'callAsAccount' | 'clock' | 'store'>

type LookedUp =
  | { outcome: 'found'; records: Record<string, unknown>[] }
  /** The platform's own message, so it names a missing scope; or that no one signed in. */
  | { outcome: 'failed'; message: string; tooLarge?: true }

export type LookedUpForForm =
  | { outcome: 'found'; rows: FormLists[keyof FormLists] }
  | Extract<LookedUp, { outcome: 'failed' }>

const ADMIN_RECORDS = 100
/** Bytes of a page of a list that is short in every business: these are read in parallel. */
const SHORT_LIST_BYTES = 2 * 1024 * 1024

/** As the API answers it. A failure is not cached; "too long" is, for a minute: reading again costs as much. */
export function lookUp(app: LookupApp, accountUuid: string, name: LookupName): Promise<LookedUp> {
  return keptFor(
    app,
    { accountUuid, list: name },
    () => readList(app, accountUuid, name, 'call'),
    (looked) => (looked.outcome === 'found' ? bytesOf(looked.records) : keptFailure(looked)),
  )
}

/** The list as the rule form draws it: its first rows, reduced to the fields shown. */
export function lookUpForForm(app: LookupApp, accountUuid: string, name: LookupName): Promise<LookedUpForForm> {
  return keptFor(
    app,
    { accountUuid, list: `${name}, drawn` },
    async (): Promise<LookedUpForForm> => {
      const looked = await readList(app, accountUuid, name, 'form')
      if (looked.outcome === 'failed') return looked
      const rows = toFormLists({ [name]: looked.records })[FORM_LIST[name]]
      // Copied: a slice would keep the whole original text in memory.
      return { outcome: 'found', rows: JSON.parse(JSON.stringify(rows)) as typeof rows }
    },
    (looked) => (looked.outcome === 'found' ? bytesOf(looked.rows) : keptFailure(looked)),
  )
}

/** Null = not cached. */
function keptFailure({ tooLarge }: { tooLarge?: true }): number | null {
  return tooLarge ? 0 : null
}

async function readList(
  app: LookupApp,
  accountUuid: string,
  name: LookupName,
  reader: 'call' | 'form',
): Promise<LookedUp> {
  const filter = name === 'jobs' || name === 'companies' ? { filter: "active eq '1'" } : {}
  const answer = await app.callAsAccount(accountUuid, (api, token) =>
    api.list(token, OBJECT_OF[name], {
      ...filter,
      ...(isShortList(name) && { mostBytes: SHORT_LIST_BYTES }),
      limit: Math.max(MOST_LISTED[name], 5_000),
      keep: (record) => keptOfRecord(name, reader, record),
    }),
  )
  return toLookedUp(answer, (records) => lookupRecords(name, records))
}

/** Reads raw records for the admin's API test, without a cache. */
export async function testApi(app: LookupApp, accountUuid: string, name: ApiName): Promise<LookedUp> {
  const answer = await app.callAsAccount(accountUuid, (api, token) =>
    api.list(token, API_NAMES[name], { limit: ADMIN_RECORDS }),
  )
  return toLookedUp(answer, (records) => records.map((record) => ({ ...record })))
}

function toLookedUp(
  answer: AccountCallResult<PlatformRecord[]>,
  read: (records: PlatformRecord[]) => Record<string, unknown>[],
): LookedUp {
  switch (answer.outcome) {
    case 'ok':
      return { outcome: 'found', records: read(answer.value) }
    case 'not_connected':
    case 'reconnect':
      return { outcome: 'failed', message: NOT_SIGNED_IN }
    default:
      return {
        outcome: 'failed',
        message: answer.message || `ServiceM8 answered ${answer.status ?? 'nothing'}.`,
        ...('tooLarge' in answer && { tooLarge: true }),
      }
  }
}
