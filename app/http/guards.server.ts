// Checks for routes to run first. `requireX` throws the contract's JSON answer; `findX` may return null.
import type { z } from 'zod'
import type { App } from '#app/context/app-context.ts'
import { ACCOUNT_ID_MESSAGES, accountIdIn, readAccountId } from '#app/domain/account-id.ts'
import { type Asking, OWNER_ACT_TEXTS, type OwnerAct, ownerActRefusal } from '#app/domain/people.ts'
import { actsAsAdmin, type Session } from '#app/domain/session.ts'
import { noteActing } from '#app/lib/caller.server.ts'
import { isRecord, isTooDeep, parseJson, pathToProto, TOO_DEEP } from '#app/lib/json.ts'
import { badInput, forbidden, invalid, notFound, notJson, problem, tooLarge, unauthenticated } from './respond.ts'
import { findSession } from './session.server.ts'

type SessionApp = Pick<App, 'store' | 'clock' | 'settings'>

/** An account this request may act for. */
export interface AccountAccess extends Asking {
  accountUuid: string
  /** The id as the request gave it (external or internal): answers and links repeat it. */
  accountId: string
  /** The account is an admin's and the request carries the flag. */
  admin: boolean
}

/** 401 without a session. */
export async function requireSession(app: SessionApp, request: Request): Promise<Session> {
  const session = await findSession(app, request)
  if (!session) throw unauthenticated()
  return session
}

/**
 * The session's account for `id`. 401 without a session, 400 without an id, and the same 404 for an id that is unknown,
 * malformed or of another account.
 */
export async function requireAccount(app: SessionApp, request: Request, id: unknown): Promise<AccountAccess> {
  const session = await requireSession(app, request)
  if (id === null || id === undefined || id === '') {
    throw badInput(ACCOUNT_ID_MESSAGES.required, { accountUUID: [ACCOUNT_ID_MESSAGES.required] })
  }
  const access = await accessOf(app, request, session, id)
  if (!access) throw notFound()
  return access
}

/** `requireAccount` for the id in the query, in either spelling. */
export function requireAccountOfQuery(app: SessionApp, request: Request): Promise<AccountAccess> {
  return requireAccount(app, request, idInQuery(new URL(request.url).searchParams))
}

/** The account id in the query, valid or not. */
export function idInQuery(query: URLSearchParams): string | null {
  return accountIdIn(query) ?? query.get('accountUUID') ?? query.get('accountuuid')
}

export function twoAccounts(): Response {
  const message = 'Two accounts are named. Name one.'
  return badInput(message, { accountUUID: [message] })
}

/** Null without a session, or when the id is not one of its accounts. */
export async function findAccess(app: SessionApp, request: Request, id: unknown): Promise<AccountAccess | null> {
  const session = await findSession(app, request)
  return session ? accessOf(app, request, session, id) : null
}

async function accessOf(
  app: SessionApp,
  request: Request,
  session: Session,
  id: unknown,
): Promise<AccountAccess | null> {
  const accountId = readAccountId(id)
  const accountUuid = accountId === null ? null : await app.store.accounts.resolveAccountId(accountId)
  const proved = session.accounts.find((account) => account.accountUuid === accountUuid)
  if (!proved || accountId === null) return null
  const asked = { query: new URL(request.url).searchParams, header: request.headers.get('x-admin-mode') }
  const admin = actsAsAdmin(app.settings.adminAccounts, proved, asked)
  noteActing(proved.accountUuid)
  const { accountUuid: uuid, staffUuid, role, freshAt } = proved
  return { accountUuid: uuid, accountId, staffUuid, admin, role, freshAt }
}

/** 403 with a sentence unless the caller is an owner, with a fresh opening or sign-in when the act needs one. */
export function requireOwner(app: Pick<App, 'clock'>, access: Asking, act: OwnerAct): void {
  const refused = ownerActRefusal(act, access, app.clock.now())
  if (refused) throw problem(403, `${OWNER_ACT_TEXTS[refused].title}. ${OWNER_ACT_TEXTS[refused].description}`)
}

/** 403 unless the request acts as an admin. */
export function requireAdmin(access: AccountAccess): void {
  if (!access.admin) throw forbidden()
}

const USUAL_BODY = 100 * 1024
const MOST_PARTS = 128
const MOST_FIELDS = 10_000

/** The body as text; 413 above `maxBytes`; never reads more than that. */
export async function readBody(request: Request, maxBytes = USUAL_BODY): Promise<string> {
  if (Number(request.headers.get('content-length') ?? 0) > maxBytes) throw tooLarge(maxBytes)
  let chunks: Uint8Array[] = []
  let size = 0
  // A web stream is iterable in Node; the DOM's types do not say so.
  for await (const chunk of (request.body ?? []) as unknown as AsyncIterable<Uint8Array>) {
    size += chunk.byteLength
    if (size > maxBytes) throw tooLarge(maxBytes)
    chunks.push(chunk)
    // When a body arrives byte by byte, the overhead of the chunks would be many times their content.
    if (chunks.length >= MOST_PARTS) chunks = [Buffer.concat(chunks)]
  }
  return Buffer.concat(chunks).toString('utf8')
}

/**
 * The JSON body parsed by the schema: 415 for another type, 400 for broken JSON or a value the schema refuses.
 * `mustAgree` throws when the two spellings name two accounts; without it, both are the caller's own data.
 */
export async function readJson<S extends z.ZodType>(
  request: Request,
  schema: S,
  maxBytes = USUAL_BODY,
  mustAgree?: (accountId: unknown, other: unknown) => Promise<unknown>,
): Promise<z.output<S>> {
  const type = request.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase()
  if (type !== 'application/json') throw notJson()
  const value = parseJson(await readBody(request, maxBytes))
  if (value === undefined) throw badInput('The body is not valid JSON.')
  if (isTooDeep(value)) throw badInput(TOO_DEEP)
  const proto = pathToProto(value)
  if (proto !== null) throw invalid([{ code: 'unrecognized_keys', keys: [proto], path: [], message: '' }])
  // Both spellings of the account are read everywhere.
  const { accountuuid: other, ...rest } = isRecord(value) ? value : {}
  const isTwice = Boolean(other && rest.accountUUID)
  if (isTwice) await mustAgree?.(rest.accountUUID, other)
  const isOwnData = other === undefined || (isTwice && !mustAgree)
  const parsed = schema.safeParse(isOwnData ? value : { accountUUID: other, ...rest })
  if (!parsed.success && !isRecord(value)) throw badInput('The body must be a JSON object.')
  if (!parsed.success) throw invalid(parsed.error.issues as Parameters<typeof invalid>[0])
  return parsed.data
}

/** The fields of an urlencoded form; 413 above `maxBytes`, and above 10,000 fields. */
export async function readForm(request: Request, maxBytes = USUAL_BODY): Promise<URLSearchParams> {
  return readFields(await readBody(request, maxBytes))
}

/** Counted before they are read: Node reads `&a&a…`, without any `=`, in quadratic time. */
export function readFields(text: string): URLSearchParams {
  if (text.split('&', MOST_FIELDS + 1).length > MOST_FIELDS) throw problem(413, 'The form has more than 10,000 fields.')
  return new URLSearchParams(text)
}
