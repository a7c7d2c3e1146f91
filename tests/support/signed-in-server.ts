// The built server with an account signed in through the sandbox's real OAuth pages, over HTTP and without scripts.
import { fieldValue, type ScriptlessBrowser, scriptlessBrowser } from './scriptless-browser.ts'
import { type ServerProcess, startServerProcess } from './server-process.ts'

export interface SignedInServer {
  server: ServerProcess
  browser: ScriptlessBrowser
  accountUUID: string
}

/** Goes through authorize → consent → callback like a person, and returns the account that consented. */
export async function signIn(
  browser: ScriptlessBrowser,
  accountUUID: string,
): Promise<{ url: string; status: number }> {
  const consent = await browser.get(`/api/oauth/authorize?accountuuid=${accountUUID}&token=fieldhook`)
  if (consent.status !== 200) throw new Error(`no consent page: ${consent.status} ${consent.url}`)
  const ticket = fieldValue(consent.text, 'ticket')
  const decided = new URL('/sandbox/servicem8/oauth/authorize', consent.url).href
  return browser.submit(decided, { ticket, account: accountUUID, decision: 'accept' })
}

/** The demo account's id, from the console's own link that a newcomer would follow. */
export async function firstDemoAccount(browser: ScriptlessBrowser): Promise<string> {
  const stage = await browser.get('/sandbox')
  const link = stage.text.match(/\/fieldhook\?accountUUID=([0-9a-f-]{36})/)
  if (!link?.[1]) throw new Error('the console shows no link that opens the add-on')
  return link[1]
}

export async function startSignedInServer(env: Record<string, string> = {}): Promise<SignedInServer> {
  const server = await startServerProcess(env)
  try {
    const browser = scriptlessBrowser(server.origin)
    const accountUUID = await firstDemoAccount(browser)
    const back = await signIn(browser, accountUUID)
    if (back.status !== 200) throw new Error(`sign-in ended with ${back.status} at ${back.url}`)
    return { server, browser, accountUUID }
  } catch (error) {
    await server.dispose()
    throw error
  }
}
