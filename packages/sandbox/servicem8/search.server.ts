// `/api_1.0/search.json`, `/api_1.0/search/{type}.json` and `/api_1.0/search/job/embedding.json`: text search.
import { findRecord, recordsOf } from '../accounts.server.ts'
import { type Answer, errorAnswer, jsonAnswer } from '../http.server.ts'
import type { AccountState } from '../state.server.ts'
import type { SandboxRecord } from '../world.ts'
import { findObject, type ObjectFact } from './catalog.ts'
import { type AccountRequest, hasScope, scopeMessage } from './wire-request.ts'

/** The objects that a search without a kind covers. */
const EVERYWHERE = ['job', 'company', 'material']
const SEARCHABLE = [...EVERYWHERE, 'knowledgearticle', 'attachment', 'formresponse', 'asset', 'materialbundle']

const MAX_QUERY = 100
const SNIPPET = 60

interface Found {
  uuid: string
  type: string
  title: string
  /** By field: the words around the match. */
  highlights: Record<string, string>
}

/** Null for another path. */
export function searchCall(request: AccountRequest): Answer | null {
  if (request.method !== 'GET') return null
  if (/^\/api_1\.0\/search\/job\/embedding\.json$/i.test(request.path)) return searchByMeaning(request)
  const match = /^\/api_1\.0\/search(?:\/([\w-]+))?\.json$/i.exec(request.path)
  if (!match) return null
  const type = match[1]?.toLowerCase()
  if (type !== undefined && !SEARCHABLE.includes(type))
    return errorAnswer(400, `${type} is not a searchable object type`)
  const query = request.query.get('q') ?? ''
  if (query === '' || query.length > MAX_QUERY) return errorAnswer(400, `q must hold 1 to ${MAX_QUERY} characters`)
  if (type !== undefined) {
    const object = findObject(type)
    if (!object || !hasScope(request, object.scopes.read)) {
      return errorAnswer(403, scopeMessage(object?.scopes.read ?? ''))
    }
    const results = found(request.account, object, query).slice(0, limitOf(request, 50, 100))
    return jsonAnswer(200, { results, query, objectType: type, count: results.length })
  }
  // A search of all objects omits those the token may not read.
  const results = EVERYWHERE.flatMap((key) => {
    const object = findObject(key)
    return object && hasScope(request, object.scopes.read) ? found(request.account, object, query) : []
  }).slice(0, limitOf(request, 20, 50))
  return jsonAnswer(200, { results, query, count: results.length })
}

function limitOf(request: AccountRequest, fallback: number, most: number): number {
  const limit = Number(request.query.get('limit') ?? fallback)
  return Number.isInteger(limit) && limit >= 1 ? Math.min(limit, most) : fallback
}

function found(account: AccountState, object: ObjectFact, query: string): Found[] {
  const needle = query.toLowerCase()
  const texts = object.fields.filter((field) => field.type === 'string' && field.format === undefined)
  return activeOf(account, object.key).flatMap((record) => {
    const hits = texts.flatMap(({ name }): [string, string][] => {
      const snippet = snippetOf(String(record[name] ?? ''), needle)
      return snippet === null ? [] : [[name, snippet]]
    })
    if (hits.length === 0) return []
    const title = titleOf(account, object.key, record) || object.label
    return [{ uuid: record.uuid, type: object.key, title, highlights: Object.fromEntries(hits) }]
  })
}

function snippetOf(text: string, needle: string): string | null {
  const at = text.toLowerCase().indexOf(needle)
  return at < 0 ? null : text.slice(Math.max(0, at - SNIPPET), at + needle.length + SNIPPET).trim()
}

/** The real service compares meanings; this one counts the query words, without endings, that a job's texts contain. */
function searchByMeaning(request: AccountRequest): Answer {
  if (!hasScope(request, 'read_jobs')) return errorAnswer(403, scopeMessage('read_jobs'))
  const query = request.query.get('q') ?? ''
  if (query === '') return errorAnswer(400, 'q is required')
  const threshold = Number(request.query.get('similarity_threshold') ?? 0.7)
  if (!(threshold >= 0 && threshold <= 1)) return errorAnswer(400, 'similarity_threshold must lie between 0.0 and 1.0')
  const stems = (query.toLowerCase().match(/\p{L}+|\d+/gu) ?? []).map((word) =>
    word.slice(0, Math.max(4, word.length - 3)),
  )
  const results = activeOf(request.account, 'job')
    .map((job) => {
      const content = [job.job_description, job.work_done_description].filter((text) => text !== '').join('\n')
      const held = stems.filter((stem) => content.toLowerCase().includes(stem)).length
      return {
        uuid: job.uuid,
        type: 'job',
        title: titleOf(request.account, 'job', job),
        description: String(job.job_description),
        status: String(job.status),
        similarity_score: stems.length === 0 ? 0 : Math.round((held / stems.length) * 100) / 100,
        matched_content: content.slice(0, 200),
      }
    })
    .filter((one) => one.similarity_score > 0 && one.similarity_score >= threshold)
    .sort((a, b) => b.similarity_score - a.similarity_score)
    .slice(0, limitOf(request, 10, 50))
  return jsonAnswer(200, { results, query, count: results.length, searchType: 'embedding' })
}

/** A readable title of the record, or ''. */
function titleOf(account: AccountState, key: string, record: SandboxRecord): string {
  switch (key) {
    case 'job': {
      const company = findRecord(account, 'company', String(record.company_uuid))
      return [`#${record.generated_job_id}`, company?.name].filter(Boolean).join(' ')
    }
    case 'attachment':
      return String(record.attachment_name)
    case 'formresponse':
      return String(findRecord(account, 'form', String(record.form_uuid))?.name ?? '')
    default:
      return String(record.name)
  }
}

function activeOf(account: AccountState, key: string): SandboxRecord[] {
  return recordsOf(account, key).filter((record) => Number(record.active) === 1)
}
