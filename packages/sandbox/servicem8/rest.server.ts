// `/api_1.0/{object}.json` and `/api_1.0/{object}/{uuid}.json` for every object of the catalogue.
import { findRecord, recordsOf, zoneOf } from '../accounts.server.ts'
import { type Answer, errorAnswer, jsonAnswer } from '../http.server.ts'
import type { Stage } from '../state.server.ts'
import type { ChangeResult, SandboxRecord } from '../world.ts'
import { fieldsOf, findObject, findObjectOfItem, type Method, type ObjectFact } from './catalog.ts'
import { parseFilter, passes } from './filter.ts'
import { isHistory, recordOutbox, showLateHistory } from './outbox.server.ts'
import { viewOf } from './record-view.ts'
import { createRecord, removeRecord, updateRecord } from './records.server.ts'
import { type AccountRequest, hasScope, headerOf, scopeMessage, valuesOf } from './wire-request.ts'

/** Maximum number of records in one answer, with or without a cursor. */
const LIST_CAP = 5_000

/** With quoted flags, these return `errorCode` as a numeric string: the real endpoints were seen to differ. */
const QUOTES_ERROR_CODE = new Set(['note', 'attachment', 'jobmaterial'])

/** A list or single-record call; null when the path is neither. */
export function restCall(stage: Stage, request: AccountRequest): Answer | null {
  const list = /^\/api_1\.0\/([\w-]+)\.json$/i.exec(request.path)
  if (list) {
    const object = findObject(list[1] ?? '')
    return object ? listCall(stage, request, object) : unknownObject(list[1] ?? '')
  }
  const item = /^\/api_1\.0\/([\w-]+)\/([^/]+)\.json$/i.exec(request.path)
  if (!item) return null
  const object = findObjectOfItem(item[1] ?? '')
  return object ? itemCall(stage, request, object, (item[2] ?? '').toLowerCase()) : unknownObject(item[1] ?? '')
}

/** Unknown objects get 400 instead of 404; so do calls that an object does not support. */
function unknownObject(name: string): Answer {
  return errorAnswer(400, `${name.slice(0, 64)} is not an authorised object type`)
}

/** The 403 when the token lacks the object's scope for this kind of call, or null. */
export function scopeRefusal(request: AccountRequest, object: ObjectFact, method: Method): Answer | null {
  const scope = object.scopes[method === 'list' || method === 'get' ? 'read' : method]
  const withdrawn = isHistory(object.key) && request.account.options.historyRefused
  return hasScope(request, scope) && !withdrawn ? null : errorAnswer(403, scopeMessage(scope ?? ''))
}

function listCall(stage: Stage, request: AccountRequest, object: ObjectFact): Answer {
  const method = ({ GET: 'list', POST: 'create' } as const)[request.method]
  if (!method || !object.methods.includes(method)) return unknownObject(object.key)
  const refusal = scopeRefusal(request, object, method)
  if (refusal) return refusal
  if (isHistory(object.key)) showLateHistory(stage, request.account)
  if (method === 'list') return listRecords(request, object)
  const body = valuesOf(request)
  if (!body) return errorAnswer(400, 'Invalid request body')
  const result = createRecord(stage, request.account, object, body, { staffUuid: request.staffUuid })
  if (result.outcome === 'done') recordOutbox(stage, request.account, object.key, result.record, body)
  return changeAnswer(request, object, result, true)
}

function itemCall(stage: Stage, request: AccountRequest, object: ObjectFact, uuid: string): Answer {
  const method = ({ GET: 'get', POST: 'update', DELETE: 'delete' } as const)[request.method]
  if (!method || !object.methods.includes(method)) return unknownObject(object.key)
  const refusal = scopeRefusal(request, object, method)
  if (refusal) return refusal
  const by = { staffUuid: request.staffUuid }
  switch (method) {
    case 'get': {
      const record = findRecord(request.account, object.key, uuid)
      return record ? jsonAnswer(200, shown(request, object, record)) : errorAnswer(404, 'Record not found')
    }
    case 'update': {
      const body = valuesOf(request)
      if (!body) return errorAnswer(400, 'Invalid request body')
      return changeAnswer(request, object, updateRecord(stage, request.account, object, uuid, body, by), false)
    }
    case 'delete':
      return changeAnswer(request, object, removeRecord(stage, request.account, object, uuid, by), false)
  }
}

/** `{"errorCode":0,"message":"OK"}`; the id of a new record is only in the header. */
function changeAnswer(request: AccountRequest, object: ObjectFact, result: ChangeResult, created: boolean): Answer {
  if (result.outcome === 'refused') return errorAnswer(result.status, result.message)
  const errorCode = request.account.options.quotedFlags && QUOTES_ERROR_CODE.has(object.key) ? '0' : 0
  return jsonAnswer(200, { errorCode, message: 'OK' }, created ? { 'x-record-uuid': result.record.uuid } : {})
}

export function shown(request: AccountRequest, object: ObjectFact, record: SandboxRecord): Record<string, unknown> {
  return viewOf(object.key, record, {
    quotedFlags: request.account.options.quotedFlags,
    iso: headerOf(request, 'sm-date-format').toUpperCase() === 'ISO8601',
    zone: zoneOf(request.account),
  })
}

function listRecords(request: AccountRequest, object: ObjectFact): Answer {
  let rows = recordsOf(request.account, object.key)
  const filter = filterOf(request)
  if (filter !== null) {
    const fields = fieldsOf(object.key)
    const parsed = parseFilter(filter, fields)
    if (parsed.outcome === 'bad') return errorAnswer(400, parsed.message)
    rows = rows.filter((row) => passes(row, parsed.clauses, fields))
  }
  const search = request.query.get('search')?.toLowerCase() ?? ''
  if (object.key === 'company' && search.length >= 3) {
    rows = rows.filter((row) => String(row.name).toLowerCase().includes(search))
  }
  const top = Number(request.query.get('$top'))
  if (Number.isInteger(top) && top > 0) rows = rows.slice(0, top)

  const cursor = request.query.get('cursor')
  if (cursor === null)
    return jsonAnswer(
      200,
      rows.slice(0, LIST_CAP).map((row) => shown(request, object, row)),
    )
  const from = cursor === '-1' ? 0 : rows.findIndex((row) => row.uuid === cursor) + 1
  if (from === 0 && cursor !== '-1') return errorAnswer(400, 'Invalid cursor')
  const size = Math.max(1, Math.min(LIST_CAP, request.account.options.pageSize))
  const page = rows.slice(from, from + size)
  const last = page.at(-1)
  const headers: Record<string, string> = from + size < rows.length && last ? { 'x-next-cursor': last.uuid } : {}
  return jsonAnswer(
    200,
    page.map((row) => shown(request, object, row)),
    headers,
  )
}

/** Only a percent-encoded `%24filter` counts: a bare `$filter` is silently ignored, which has surprised many. */
function filterOf(request: AccountRequest): string | null {
  return /(^|&)%24filter=/i.test(request.rawQuery) ? request.query.get('$filter') : null
}
