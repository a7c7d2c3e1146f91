// `/sandbox` and `/sandbox/console/…`: the stage that operates the pretend platform. No scripts; every button is a
// form.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Answer, readBody, sendAnswer, textAnswer } from '../http.server.ts'
import type { World } from '../world.ts'
import { act } from './actions.server.ts'
import { assetAnswer } from './assets.server.ts'
import { addressOf } from './page-answer.server.ts'
import { lostPage, page } from './pages.server.ts'
import { type ConsoleDeps, type ConsoleStage, createStage } from './stage.server.ts'

interface SandboxConsole {
  /** Answers the stage's own paths and returns true; leaves any other path untouched. */
  handle(req: IncomingMessage, res: ServerResponse): boolean
}

const BASE = '/sandbox/console'
const MAX_FORM = 64 * 1024
const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]'])

export function createConsole(world: World, deps: ConsoleDeps): SandboxConsole {
  const stage = createStage(world, deps)
  return {
    handle(req, res) {
      const { path, query } = addressOf(req)
      const isStart = path === '/sandbox' || path === '/sandbox/'
      if (!isStart && path !== BASE && !path.startsWith(`${BASE}/`)) return false
      const inside = isStart ? '' : path.slice(BASE.length + 1)
      answer(stage, req, inside, query)
        .catch((error: unknown) => {
          // The product runs in this process, so an error here must not leave this function.
          stage.log.error({ error: String(error) }, 'console.failed')
          return textAnswer(500, 'The stage itself failed. Nothing of Fieldhook did.')
        })
        .then((made) => sendAnswer(req, res, made))
        .catch((error: unknown) => stage.log.error({ error: String(error) }, 'console.send_failed'))
      return true
    },
  }
}

async function answer(
  stage: ConsoleStage,
  req: IncomingMessage,
  path: string,
  query: URLSearchParams,
): Promise<Answer> {
  if (req.method === 'POST') return posted(stage, req, path)
  if (req.method !== 'GET' && req.method !== 'HEAD') return textAnswer(405, 'GET or POST', { allow: 'GET, HEAD, POST' })
  return (
    assetAnswer(path) ??
    (await page(stage, path, query)) ??
    lostPage(stage, 404, 'Nothing is here', 'This part of the stage does not exist, or what it showed is gone.')
  )
}

async function posted(stage: ConsoleStage, req: IncomingMessage, path: string): Promise<Answer> {
  if (!comesFromUs(req, stage.origin)) {
    const words = `The stage only takes presses of its own buttons. Open it at ${stage.origin}/sandbox and press there.`
    return lostPage(stage, 403, 'That was not pressed here', words)
  }
  const body = await readBody(req, MAX_FORM)
  if (body === 'gone') return textAnswer(400, 'The form did not arrive')
  if (body === 'too_large') return lostPage(stage, 413, 'That is too much', 'A form of the stage holds at most 64 KB.')
  const to = await act(stage, path, new URLSearchParams(body.toString('utf8')))
  if (to === null) {
    return lostPage(stage, 404, 'Nothing was changed', 'What the button was for does not exist any more.')
  }
  return { status: 303, headers: { location: to }, body: '' }
}

/**
 * Whether a page of the stage posted this form. Other names of this machine are allowed; a foreign page is not, even
 * when its own domain name resolves to this machine.
 */
export function comesFromUs(req: Pick<IncomingMessage, 'headers'>, origin: string): boolean {
  const site = req.headers['sec-fetch-site']
  const from = req.headers.origin
  if (site !== undefined && site !== 'same-origin') return false
  if (from === undefined) return site === 'same-origin'
  if (from === origin) return true
  return site === 'same-origin' && URL.canParse(from) && LOOPBACK.has(new URL(from).hostname)
}
