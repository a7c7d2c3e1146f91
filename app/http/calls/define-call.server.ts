// A JSON call in one place: what it is (app/contract/operation.ts) and what answers it. Who may call it, how often, and with which body
// is enforced here, from the same entry that the reference and the matrix of rights are made of.
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
} from '../guards.server.ts'
import { requireRate, requireRateOf } from '../rate-limit.server.ts'
import type { RefusalText } from '../refusal-page.ts'
import { answer, notFound } from '../respond.ts'
import { findSession } from '../session.server.ts'
import { answerCall, answerVisit } from './call.server.ts'

/** What every handler is given. */
export interface Asked {
  app: App
  request: Request
  /** Of the path: each `:name` of it is there. */
  params: Readonly<Record<string, string>>
  query: URLSearchParams
  clientIp: string
}

type Has<T> = { [K in keyof T]: T[K] }
/** What is sent is not changed any more: lists may be read-only. */
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
  /** Only an owner, where the act wants it with a fresh proof. */
  owner?: OwnerAct
  /**
   * The thing that the call names, in one of the session's accounts: asked for each of them until it is there, else 404. Of a call with
   * a key it is asked once, before the body is read and without an account.
   */
  find?(asked: Has<Asked & (W extends 'key' ? unknown : BodyIf<B>)>, accountUuid: string): Promise<F | null>
  /** People reach it with a browser, too: they get a refusal as a page in these words. */
  refusalPage?(asked: { query: URLSearchParams; message: string; status: number }): RefusalText
  /** What is no Response is sent as the first of `answers`. */
  handle(
    asked: Has<Asked & BodyIf<B> & SessionIf<W> & AccessIf<W, P[number], B, F> & FoundIf<F>>,
  ): Response | Sent<z.output<S>> | Promise<Response | Sent<z.output<S>>>
}

/** An operation, and how it is done. */
export interface Call extends Operation {
  answer(asked: Asked): Promise<Response>
  refusalPage?(asked: { query: URLSearchParams; message: string; status: number }): RefusalText
}

/** One call, whole. Asked for in this order: limit of the address, session, account (owner, limit), body, thing. */
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
  // What the types of a call promise its handler, this file has looked up.
  const handled = async (given: object): Promise<Response> => {
    const answered = await handle(given as Parameters<typeof handle>[0])
    return answered instanceof Response ? answered : answer(answers[0]?.status ?? 200, answered)
  }
  const read = ({ request }: Asked) => body && readJson(request, body.raw ? anyObject : body.schema)
  type FindAsked = Parameters<NonNullable<typeof find>>[0]

  async function answerOpen(asked: Asked): Promise<Response> {
    const found = find ? await find(asked as FindAsked, '') : undefined
    if (found === null) return notFound()
    if (limit?.per === 'automation') requireRateOf(asked.app, limit, String(Reflect.get(found ?? {}, 'id')))
    return handled({ ...asked, found, body: await read(asked) })
  }

  async function answerSignedIn(asked: Asked): Promise<Response> {
    const { app, request } = asked
    const session = await sessionFor(operation, asked)
    const admit = async (id: unknown) => {
      const access = await requireAccount(app, request, id)
      if (who === 'admin') requireAdmin(access)
      if (owner) requireOwner(app, access, owner)
      if (limit?.per === 'account') requireRateOf(app, limit, access.accountUuid)
      return access
    }
    const named = accountNamed(operation, asked)
    const first = named === undefined ? null : await admit(named)
    const sent = await read(asked)
    const { thing, accountUuid } = find
      ? await findOwn(find, { ...asked, body: sent } as unknown as FindAsked, session)
      : NOTHING
    const needed = accountUuid !== null || namesAccount(operation)
    const access = first ?? (needed ? await admit(accountUuid ?? accountIn(sent, operation, asked, session)) : null)
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

/** Where the reference tells no 401, a stranger is answered like somebody whose account it is not. */
async function sessionFor({ refusals }: Operation, { app, request }: Asked): Promise<Session> {
  if (refusals?.[401] !== null) return requireSession(app, request)
  const session = await findSession(app, request)
  if (!session) throw notFound()
  return session
}

/** What stands where the parameters want an account; undefined = they want none. */
function accountNamed({ parameters = [] }: Operation, { params, query }: Asked): string | null | undefined {
  const where = parameters.find(({ names, required }) => names === 'account' && required)
  if (!where) return undefined
  return where.in === 'path' ? (params[where.name] ?? null) : idInQuery(query)
}

async function findOwn<A, F>(
  find: (asked: A, accountUuid: string) => Promise<F | null>,
  asked: A,
  session: Session | null,
): Promise<{ thing: NonNullable<F>; accountUuid: string }> {
  for (const accountUuid of session ? session.accounts.map((one) => one.accountUuid) : ['']) {
    const thing = await find(asked, accountUuid)
    if (thing) return { thing, accountUuid }
  }
  throw notFound()
}

const anyObject = z.record(z.string(), z.unknown())

/**
 * `accountUUID` is read in either spelling, and where a parameter says so, in the query. Where an admin names none, as the documented
 * client does, the session's admin account is meant, else any, which then is refused.
 */
function accountIn(sent: unknown, operation: Operation, { app, query }: Asked, { accounts }: Session): unknown {
  const { who, body, parameters = [] } = operation
  const field = body?.account ?? 'accountUUID'
  const { [field]: named, accountuuid } = (sent ?? {}) as Readonly<Record<string, unknown>>
  const inBody = named ?? (field === 'accountUUID' ? accountuuid : undefined)
  if (who === 'admin') {
    const admin = accounts.find((account) => isListedAdmin(app.settings.adminAccounts, account)) ?? accounts[0]
    return inBody ?? admin?.accountUuid
  }
  return inBody ?? (parameters.some(({ names }) => names === 'account') ? idInQuery(query) : undefined)
}

/** For each account of the session, until there is an answer; 404 when none has one. */
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

/** Answers what was asked of one path: `calls` are those of that path, one for each method. */
export function answerPath(calls: readonly Call[], args: ActionFunctionArgs): Promise<Response> {
  const { request, params, context } = args
  const query = new URL(request.url).searchParams
  const asked: Asked = {
    app: context.app,
    request,
    params: params as Asked['params'],
    query,
    clientIp: context.clientIp,
  }
  const inOrder = METHODS.flatMap((method) => calls.filter((call) => call.method === method))
  const handlers = Object.fromEntries(inOrder.map((call) => [call.method, () => call.answer(asked)]))
  const page = calls.find(({ refusalPage }) => refusalPage)?.refusalPage
  if (!page) return answerCall(args, handlers)
  return answerVisit(args, handlers, (message, status) => page({ query, message, status }))
}
