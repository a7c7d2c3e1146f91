// Joins a JSON call's definition (app/contract/operation.ts) with its handler. Enforces who may call it, how often, and
// with which body, from the same entry that the reference and the permission matrix use.
import type { ActionFunctionArgs } from '@remix-run/node'
import { z } from 'zod'
import type { App } from '#app/context/app-context.ts'
import type { Body, Operation, Parameter, Success, Who } from '#app/contract/operation.ts'
import { ownersOnly } from '#app/contract/refusals.ts'
import type { OwnerAct } from '#app/domain/people.ts'
import { isListedAdmin, type Session } from '#app/domain/session.ts'
import {
  type AccountAccess,
  idInQuery,
  readJson,
  requireAccount,
  requireAdmin,
  requireOwner,
  requireSession,
  twoAccounts,
} from '../guards.server.ts'
import { requireRate, requireRateOf, requireTriggerRate } from '../rate-limit.server.ts'
import type { RefusalText } from '../refusal-page.ts'
import { answer, badInput, notFound } from '../respond.ts'
import { findSession } from '../session.server.ts'
import { answerCall, answerVisit } from './call.server.ts'

/** The input of every handler. */
export interface Asked {
  app: App
  request: Request
  /** Path parameters: one for each `:name` in the path. */
  params: Readonly<Record<string, string>>
  query: URLSearchParams
  clientIp: string
  /** Waits until what was written is on its way; false = the caller has hung up. Missing = nobody knows. */
  drained?: (() => Promise<boolean>) | undefined
}

type Has<T> = { [K in keyof T]: T[K] }
/** Makes arrays read-only: nothing changes an answer after this. */
type Sent<T> = T extends readonly (infer E)[]
  ? readonly Sent<E>[]
  : T extends object
    ? { readonly [K in keyof T]: Sent<T[K]> }
    : T
type NamesAccount = { names: 'account'; required: true }
type BodyIf<B> = B extends { raw: true }
  ? { body: Record<string, unknown> }
  : B extends { schema: infer S extends z.ZodType }
    ? { body: z.output<S> }
    : unknown
type SessionIf<W> = W extends 'session' | 'admin' ? { session: Session } : unknown
type AccessIf<W, P, B, F> = W extends 'admin'
  ? { access: AccountAccess }
  : [Extract<P, NamesAccount>] extends [never]
    ? B extends { account: string }
      ? { access: AccountAccess }
      : F extends undefined
        ? unknown
        : W extends 'key'
          ? unknown
          : { access: AccountAccess }
    : { access: AccountAccess }
type FoundIf<F> = F extends undefined ? unknown : { found: F }

interface Definition<
  W extends Who,
  P extends readonly Parameter[],
  B extends Body | undefined,
  F extends object | undefined,
  S extends z.ZodType,
> extends Operation {
  who: W
  parameters?: P
  body?: B
  answers: readonly [Success & { schema: S }, ...Success[]]
  /** Only an owner may call it, with a fresh proof when the act needs one. */
  owner?: OwnerAct
  /**
   * Finds the thing that the call names in the session's accounts: tried for each account until found, else 404. A call
   * with a key runs it once, before the body is read and without an account.
   */
  find?(asked: Has<Asked & (W extends 'key' ? unknown : BodyIf<B>)>, accountUuid: string): Promise<F | null>
  /** For calls that people also reach with a browser: a refusal is a page with this text. */
  refusalPage?(asked: { query: URLSearchParams; message: string; status: number }): RefusalText
  /** A result that is not a Response is sent as the first of `answers`. */
  handle(
    asked: Has<Asked & BodyIf<B> & SessionIf<W> & AccessIf<W, P[number], B, F> & FoundIf<F>>,
  ): Response | Sent<z.output<S>> | Promise<Response | Sent<z.output<S>>>
}

/** An operation and its handler. */
export interface Call extends Operation {
  answer(asked: Asked): Promise<Response>
  refusalPage?(asked: { query: URLSearchParams; message: string; status: number }): RefusalText
}

/** Defines one complete call. Checks run in this order: address limit, session, account (owner, limit), body, thing. */
export function defineCall<
  const W extends Who,
  const P extends readonly Parameter[] = readonly [],
  const B extends Body | undefined = undefined,
  F extends object | undefined = undefined,
  S extends z.ZodType = z.ZodType,
>(definition: Definition<W, P, B, F, S>): Call {
  const { owner, find, handle, refusalPage, ...described } = definition
  const refusals = owner ? { refusals: { 403: ownersOnly(owner), ...described.refusals } } : {}
  const operation: Operation = { ...described, ...refusals }
  const { who, limit, body, answers } = operation
  const wantsAccount = owner !== undefined || limit?.per === 'account'
  if (wantsAccount && !(find || namesAccount(operation))) throw new Error(`${operation.id} names no account`)
  // This function has looked up everything that the call's types promise its handler.
  const handled = async (given: Asked & Record<string, unknown>): Promise<Response> => {
    requireKnownFilters(operation, given.query)
    const answered = await handle(given as Parameters<typeof handle>[0])
    return answered instanceof Response ? answered : answer(answers[0]?.status ?? 200, answered)
  }
  const read = ({ request }: Asked, mustAgree?: Parameters<typeof readJson>[3]) =>
    body && readJson(request, body.raw ? anyObject : body.schema, body.maxBytes, mustAgree)
  type FindAsked = Parameters<NonNullable<typeof find>>[0]

  async function answerOpen(asked: Asked): Promise<Response> {
    const found = find ? await find(asked as FindAsked, '') : undefined
    if (found === null) return notFound()
    if (limit?.per === 'automation') await requireTriggerRate(asked.app, limit, Number(Reflect.get(found ?? {}, 'id')))
    return handled({ ...asked, found, body: await read(asked) })
  }

  async function answerSignedIn(asked: Asked): Promise<Response> {
    const { app, request } = asked
    const all = await sessionFor(operation, asked)
    const admit = async (id: unknown) => {
      const access = await requireAccount(app, request, id)
      if (who === 'admin') requireAdmin(access)
      if (owner) requireOwner(app, access, owner)
      if (limit?.per === 'account') requireRateOf(app, limit, access.accountUuid)
      return access
    }
    const named = accountNamed(operation, asked)
    const first = named === undefined ? null : await admit(named)
    // An account has two ids.
    const sent = await read(asked, async (id, other) =>
      onlyWith(await requireAccount(app, request, id), [other], all, asked),
    )
    const inQuery = ['accountUUID', 'accountuuid'].map((name) => asked.query.get(name))
    const others = [...inQuery, accountInBody(sent, operation)]
    const session = first ? await onlyWith(first, others, all, asked) : all
    const { thing, accountUuid } = find
      ? await inOwnAccount(session, async (own) => {
          const found = await find({ ...asked, body: sent } as unknown as FindAsked, own.accountUuid)
          return found && { thing: found, accountUuid: own.accountUuid }
        })
      : NOTHING
    const needed = accountUuid !== null || namesAccount(operation)
    const access = first ?? (needed ? await admit(accountUuid ?? accountIn(sent, operation, app, session)) : null)
    return handled({ ...asked, session, access, found: thing, body: sent })
  }

  return {
    ...operation,
    answer: async (asked) => {
      if (limit?.per === 'address') requireRate(asked.app, limit, asked.clientIp)
      return who === 'session' || who === 'admin' ? answerSignedIn(asked) : answerOpen(asked)
    },
    ...(refusalPage && { refusalPage }),
  }
}

const NOTHING = { thing: undefined, accountUuid: null }

function namesAccount({ who, parameters = [], body }: Operation): boolean {
  return who === 'admin' || body?.account !== undefined || parameters.some(({ names }) => names === 'account')
}

/** Where the reference lists no 401, a caller without a session gets the answer for another account. */
async function sessionFor({ refusals }: Operation, { app, request }: Asked): Promise<Session> {
  if (refusals?.[401] !== null) return requireSession(app, request)
  const session = await findSession(app, request)
  if (!session) throw notFound()
  return session
}

/** The account id from the parameters, and from the query of every call; undefined = the request names none there. */
function accountNamed({ parameters = [] }: Operation, { params, query }: Asked): string | null | undefined {
  const where = parameters.find(({ names, required }) => names === 'account' && required)
  if (where?.in === 'path') return params[where.name] ?? null
  return where ? idInQuery(query) : idInQuery(query) || undefined
}

/** The session with this account alone. Another account, named beside it in the query or the body, is a mistake. */
async function onlyWith(
  { accountUuid, accountId }: AccountAccess,
  others: readonly unknown[],
  session: Session,
  { app, request }: Asked,
): Promise<Session> {
  for (const other of others.filter((id) => id && id !== accountId)) {
    if ((await requireAccount(app, request, other)).accountUuid !== accountUuid) throw twoAccounts()
  }
  return { ...session, accounts: session.accounts.filter((own) => own.accountUuid === accountUuid) }
}

/** A filter that nobody knows is refused: without it the answer would be wrong, or more would be done than was meant. */
function requireKnownFilters({ parameters = [] }: Operation, query: URLSearchParams): void {
  const filters = parameters.filter(({ in: place }) => place === 'query').map(({ name }) => name)
  const known = [...filters, 'accountUUID', 'accountuuid', 'admin']
  const names = [...query.keys()]
  const name = names.find((one, at) => !known.includes(one) || names.indexOf(one) < at)?.slice(0, 100) ?? null
  const message = known.includes(name ?? '') ? 'Name it once' : 'There is no such filter'
  if (name !== null) throw badInput(`${name}: ${message}`, { [name]: [message] })
}

const anyObject = z.record(z.string(), z.unknown())

const accountInBody = (sent: unknown, { body }: Operation): unknown =>
  ((sent ?? {}) as Readonly<Record<string, unknown>>)[body?.account ?? 'accountUUID']

/**
 * The account in the body. When an admin names none, as the documented client does, uses the session's admin account,
 * else any account, which is then refused.
 */
function accountIn(sent: unknown, operation: Operation, { settings }: App, { accounts }: Session): unknown {
  const inBody = accountInBody(sent, operation)
  if (operation.who !== 'admin') return inBody
  const admin = accounts.find((account) => isListedAdmin(settings.adminAccounts, account)) ?? accounts[0]
  return inBody ?? admin?.accountUuid
}

/** Tries each account of the session until one has an answer; 404 when none has. */
export async function inOwnAccount<T>(
  { accounts }: Session,
  find: (account: Session['accounts'][number]) => Promise<T | null>,
): Promise<T> {
  for (const account of accounts) {
    const found = await find(account)
    if (found !== null) return found
  }
  throw notFound()
}

const METHODS = ['GET', 'POST', 'PUT', 'DELETE'] as const

/** Answers a request to one path: `calls` are the calls of that path, one for each method. */
export function answerPath(calls: readonly Call[], args: ActionFunctionArgs): Promise<Response> {
  const { request, params, context } = args
  const query = new URL(request.url).searchParams
  const asked: Asked = {
    app: context.app,
    request,
    params: params as Asked['params'],
    query,
    clientIp: context.clientIp,
    drained: context.drained,
  }
  const inOrder = METHODS.flatMap((method) => calls.filter((call) => call.method === method))
  const handlers = Object.fromEntries(inOrder.map((call) => [call.method, () => call.answer(asked)]))
  const page = calls.find(({ refusalPage }) => refusalPage)?.refusalPage
  if (!page) return answerCall(args, handlers)
  return answerVisit(args, handlers, (message, status) => page({ query, message, status }))
}
