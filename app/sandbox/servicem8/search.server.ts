// `/api_1.0/search.json` and `/api_1.0/search/{type}.json`: text search over the objects that have one.
import { recordsOf } from '../accounts.server.ts'
import { type Answer, errorAnswer, jsonAnswer } from '../http.server.ts'
import { findObject, type ObjectFact } from './catalog.ts'
import { shown } from './rest.server.ts'
import { type AccountRequest, hasScope, scopeMessage } from './wire-request.ts'

const SEARCHABLE = [
  'job',
  'company',
  'material',
  'knowledgearticle',
  'attachment',
  'formresponse',
  'asset',
  'materialbundle',
]

/** Null for another path. */
export function searchCall(request: AccountRequest): Answer | null {
  const match = /^\/api_1\.0\/search(?:\/([\w-]+))?\.json$/i.exec(request.path)
  if (!match || request.method !== 'GET') return null
  const type = match[1]?.toLowerCase()
  if (type !== undefined && !SEARCHABLE.includes(type))
    return errorAnswer(400, `${type} is not a searchable object type`)
  const query = request.query.get('q') ?? ''
  if (query === '' || query.length > 100) return errorAnswer(400, 'q must hold 1 to 100 characters')
  const limit = limitOf(request.query.get('limit'), type === undefined ? 20 : 50, type === undefined ? 50 : 100)
  if (type !== undefined) {
    const object = findObject(type)
    if (!object || !hasScope(request, object.scopes.read)) {
      return errorAnswer(403, scopeMessage(object?.scopes.read ?? ''))
    }
    const results = found(request, object, query).slice(0, limit)
    return jsonAnswer(200, { results, query, objectType: type, count: results.length })
  }
  // Across everything, what the token may not read is left out.
  const results = SEARCHABLE.flatMap((key) => {
    const object = findObject(key)
    return object && hasScope(request, object.scopes.read) ? found(request, object, query) : []
  }).slice(0, limit)
  return jsonAnswer(200, { results, query, count: results.length })
}

function limitOf(text: string | null, fallback: number, most: number): number {
  const limit = Number(text ?? fallback)
  return Number.isInteger(limit) && limit >= 1 ? Math.min(limit, most) : fallback
}

function found(request: AccountRequest, object: ObjectFact, query: string): Record<string, unknown>[] {
  const needle = query.toLowerCase()
  return recordsOf(request.account, object.key)
    .filter((record) => Number(record.active) === 1)
    .filter((record) =>
      object.fields.some(
        (field) =>
          field.type === 'string' &&
          field.format === undefined &&
          String(record[field.name] ?? '')
            .toLowerCase()
            .includes(needle),
      ),
    )
    .map((record) => ({ objectType: object.key, ...shown(request, object, record) }))
}
