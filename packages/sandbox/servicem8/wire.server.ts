// `/sandbox/servicem8/…`: reads one call, applies faults, finds the token's account, routes the call.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { findRecord, zoneOf } from '../accounts.server.ts'
import { HANG_MS, holdCalls } from '../held-calls.server.ts'
import { type Answer, errorAnswer, readBody, sendAnswer, textAnswer } from '../http.server.ts'
import type { Poster } from '../post.server.ts'
import type { Stage } from '../state.server.ts'
import type { FaultEffect } from '../world.ts'
import { findAccountByKey } from './api-keys.server.ts'
import { SCOPES } from './catalog.ts'
import { faultBody, faultOfHeader, matchingFault } from './faults.ts'
import { attachmentCall, MAX_FILE, type StorageLinks, storageCall } from './files/attachments.server.ts'
import { documentCall } from './files/documents.server.ts'
import { findGrantByAccess, findGrantByRefresh } from './grants.server.ts'
import { inboxCall } from './inbox.server.ts'
import { countCall, limitMessage } from './limits.ts'
import { messagingCall } from './messaging.server.ts'
import { templateCall } from './new-job.server.ts'
import { createOAuthDesk, oauthCall } from './oauth.server.ts'
import { restCall } from './rest.server.ts'
import { searchCall } from './search.server.ts'
import { webhookCall } from './webhooks.server.ts'
import { type AccountRequest, formOf, headerOf, type WireRequest } from './wire-request.ts'

export interface Wire {
  /** `path` is the part after `/sandbox/servicem8`, starting with `/`. */
  handle(req: IncomingMessage, res: ServerResponse, path: string, rawQuery: string): void
  /** Answers a call made inside this process. Null when a fault loses the answer. */
  call(call: WireCall): Promise<Answer | null>
  stop(): void
}

/** One call as it arrives: header names in lower case. */
type WireCall = Pick<WireRequest, 'method' | 'path' | 'rawQuery' | 'headers' | 'body'>

const MAX_BODY = 1024 * 1024

export function createWire(stage: Stage, poster: Poster): Wire {
  const desk = createOAuthDesk()
  const links: StorageLinks = new Map()
  const held = holdCalls()

  async function answerTo(request: WireRequest, effect: FaultEffect | null): Promise<Answer> {
    if (effect?.kind === 'status') return spoiled(effect)
    return oauthCall(stage, desk, request) ?? storageCall(stage, links, request) ?? (await apiCall(request))
  }

  async function apiCall(request: WireRequest): Promise<Answer> {
    const caller = callerOf(request)
    if (!caller) return errorAnswer(401, 'Authorization Required')
    const { account, byKey } = caller
    if (account.options.insistOnHttps) return errorAnswer(426, 'HTTPS is required')
    const counted = countCall(
      byKey ? account.keyCalls : account.calls,
      stage.clock.now(),
      zoneOf(account),
      account.options,
    )
    if (counted !== 'ok') return textAnswer(429, limitMessage(counted))
    if (account.options.unpaid) return errorAnswer(402, 'Payment Required: the account is not in good standing')
    const staffUuid = headerOf(request, 'x-impersonate-uuid').toLowerCase()
    const staff = staffUuid === '' ? null : findRecord(account, 'staff', staffUuid)
    if (staffUuid !== '' && Number(staff?.active) !== 1) {
      return errorAnswer(403, 'x-impersonate-uuid does not name a staff member')
    }
    const mine: AccountRequest = { ...request, ...caller, staffUuid }
    if (request.path.startsWith('/webhook_subscriptions')) {
      return (await webhookCall(stage, poster, mine)) ?? errorAnswer(404, 'Not found')
    }
    return (
      messagingCall(stage, mine) ??
      documentCall(stage, mine) ??
      attachmentCall(stage, links, mine) ??
      searchCall(mine) ??
      inboxCall(stage, mine) ??
      templateCall(stage, mine) ??
      restCall(stage, mine) ??
      errorAnswer(404, 'Not found')
    )
  }

  /** The caller: the add-on with a token, or a private app with a key. */
  function callerOf(request: WireRequest): Pick<AccountRequest, 'account' | 'scope' | 'byKey'> | null {
    const grant = findGrantByAccess(stage, bearerOf(request))
    const account = grant && stage.state.accounts.get(grant.accountUuid)
    if (account) return { account, scope: grant.scope, byKey: false }
    const owner = findAccountByKey(stage, headerOf(request, 'x-api-key'))
    return owner && { account: owner, scope: [...SCOPES].join(' '), byKey: true }
  }

  function faultFor(request: WireRequest): FaultEffect | null {
    const asked = faultOfHeader(headerOf(request, 'x-sandbox-fault'))
    if (asked) return asked
    if (stage.state.faults.length === 0) return null
    const rule = matchingFault(stage.state.faults, { ...request, accountUuid: accountOf(request) })
    if (!rule) return null
    rule.left--
    if (rule.left <= 0) stage.state.faults = stage.state.faults.filter((one) => one !== rule)
    stage.touched()
    return rule.effect
  }

  /** Also for the token endpoint, where the refresh token identifies the account. */
  function accountOf(request: WireRequest): string {
    if (request.path !== '/oauth/access_token') return callerOf(request)?.account.uuid ?? ''
    return findGrantByRefresh(stage, formOf(request).get('refresh_token') ?? '')?.accountUuid ?? ''
  }

  async function serve(req: IncomingMessage, res: ServerResponse, path: string, rawQuery: string): Promise<void> {
    const isUpload = /\.file$/i.test(path)
    const body = await readBody(req, isUpload ? MAX_FILE + 64 * 1024 : MAX_BODY)
    if (body === 'gone') return
    if (body === 'too_large') return sendAnswer(req, res, errorAnswer(413, 'The request body is too large'))
    const called = { method: req.method ?? 'GET', path, rawQuery, headers: req.headers, body }
    const answer = await call(called, (ms) => held.wait(ms, res))
    if (answer) sendAnswer(req, res, answer)
    else req.socket.destroy()
  }

  async function call(called: WireCall, wait: (ms: number) => Promise<void>): Promise<Answer | null> {
    const request: WireRequest = {
      ...called,
      query: new URLSearchParams(called.rawQuery),
      contentType: mediaTypeOf(called),
    }
    const effect = faultFor(request)
    if (effect?.kind === 'drop') return null
    if (effect?.kind === 'hang') {
      await wait(HANG_MS)
      return null
    }
    if (effect?.kind === 'delay') await wait(effect.ms)
    const answer = await answerTo(request, effect)
    return effect?.kind === 'lose_answer' ? null : answer
  }

  return {
    handle(req, res, path, rawQuery) {
      serve(req, res, path, rawQuery).catch((error: unknown) => {
        // The product runs in this process, so an error here must not leave this function.
        stage.log.error({ error: String(error) }, 'sandbox.call_failed')
        sendAnswer(req, res, errorAnswer(500, 'Internal error of the pretend platform'))
      })
    },
    // Calls inside the process do not wait: a hang or delay ends immediately.
    call: (called) => call(called, async () => undefined),
    stop() {
      held.letGo()
    },
  }
}

function mediaTypeOf(called: WireCall): string {
  return headerOf(called, 'content-type').split(';')[0]?.trim().toLowerCase() ?? ''
}

function bearerOf(request: WireRequest): string {
  return /^Bearer\s+(\S+)$/i.exec(headerOf(request, 'authorization'))?.[1] ?? ''
}

function spoiled(effect: { status: number; body?: string }): Answer {
  const { contentType, body } = faultBody(effect.status)
  return { status: effect.status, headers: { 'content-type': contentType }, body: effect.body ?? body }
}
