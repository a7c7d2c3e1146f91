// The API Testing tab: one of the platform's lists, raw, and what its records are made of.
import type { App } from '#app/context/app-context.ts'
import { type ApiTest, apiCallFailed, fieldsFound } from './api-fields.ts'
import { testApi } from './lookups.server.ts'
import { isApiName } from './lookups.ts'

/** So many are drawn on the page; the fields are those of all that were read. */
const MOST_SHOWN = 20

/** `query` = the page's: `api` is one of the ten names. Null = nothing is asked. For admins; the caller has checked. */
export async function loadApiTest(
  app: Pick<App, 'callAsAccount' | 'clock' | 'store'>,
  accountUuid: string,
  query: URLSearchParams,
): Promise<ApiTest | null> {
  const api = query.get('api') ?? ''
  if (!isApiName(api)) return null
  const looked = await testApi(app, accountUuid, api)
  // As the call of the same name answers it.
  if (looked.outcome === 'failed') return { outcome: 'failed', api, message: apiCallFailed(500, looked.message) }
  const { records } = looked
  const shown = records.slice(0, MOST_SHOWN)
  return {
    outcome: 'found',
    api,
    count: records.length,
    shown: shown.length,
    raw: JSON.stringify(shown, null, 2),
    fields: fieldsFound(records),
  }
}
