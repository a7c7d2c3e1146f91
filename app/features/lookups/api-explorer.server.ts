// The API Testing tab: one of the platform's lists, raw, with the fields of its records.
import type { App } from '#app/context/app-context.ts'
import { type ApiTest, apiCallFailed, fieldsFound } from './api-fields.ts'
import { testApi } from './lookups.server.ts'
import { isApiName } from './lookups.ts'

/** Maximum records shown; the fields cover all records read. */
const MOST_SHOWN = 20

/** `query` = the page's: `api` is one of the ten names. Null = no test asked. For admins; the caller has checked. */
export async function loadApiTest(
  app: Pick<App, 'callAsAccount' | 'clock' | 'store'>,
  accountUuid: string,
  query: URLSearchParams,
): Promise<ApiTest | null> {
  const api = query.get('api') ?? ''
  if (!isApiName(api)) return null
  const looked = await testApi(app, accountUuid, api)
  // Same message as the API call of that name.
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
