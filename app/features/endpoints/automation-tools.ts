// The tools behind most addresses, and what their answers mean. What is said here comes from their own help pages; where
// they say nothing, neither do we.

export interface AutomationTool {
  name: 'Zapier' | 'Make' | 'n8n' | 'Power Automate' | 'Google Apps Script'
  /** What a person switches on there. */
  thing: 'Zap' | 'scenario' | 'workflow' | 'flow' | 'deployment'
}

/** Verdict, sentence and next step about something a tool said or is. */
export interface ToolWord {
  verdict: 'ok' | 'warn' | 'fail'
  sentence: string
  fix: string | null
}

const ZAPIER: AutomationTool = { name: 'Zapier', thing: 'Zap' }
const MAKE: AutomationTool = { name: 'Make', thing: 'scenario' }
const N8N: AutomationTool = { name: 'n8n', thing: 'workflow' }
const POWER_AUTOMATE: AutomationTool = { name: 'Power Automate', thing: 'flow' }
const APPS_SCRIPT: AutomationTool = { name: 'Google Apps Script', thing: 'deployment' }

/**
 * The tool an address belongs to, null when it is none that we know. n8n also runs on people's own hosts: there its paths, or
 * the words of its answer, tell.
 */
export function recogniseTool(url: string, answer = ''): AutomationTool | null {
  if (!URL.canParse(url)) return null
  const { hostname, pathname } = new URL(url)
  if (hostname === 'hooks.zapier.com' || hostname === 'zapier.com') return ZAPIER
  if (/^hooks?\.([\w-]+\.)*(make|integromat)\.com$/.test(hostname)) return MAKE
  if (/(^|\.)(logic\.azure\.com|logic\.azure\.us|api\.powerplatform\.com)$/.test(hostname)) return POWER_AUTOMATE
  if (hostname === 'script.google.com' || hostname === 'script.googleusercontent.com') return APPS_SCRIPT
  const n8nHost = /(^|\.)n8n\.cloud$|^n8n\./.test(hostname)
  const n8nPath = /^\/webhook(-test)?\/[^/]/.test(pathname)
  if (n8nHost || (n8nPath && /requested webhook .* is not registered/i.test(answer))) return N8N
  return n8nPath && pathname.startsWith('/webhook-test/') ? N8N : null
}

/** What is wrong with the address itself, as far as it can be seen without calling it; null = nothing. */
export function addressWord(tool: AutomationTool | null, url: string): ToolWord | null {
  if (!tool || !URL.canParse(url)) return null
  const { pathname, searchParams } = new URL(url)
  switch (tool.name) {
    case 'n8n':
      if (!pathname.startsWith('/webhook-test/')) return null
      return {
        verdict: 'warn',
        sentence:
          'This is the test address of n8n: it takes one event while the editor is listening, and none after that.',
        fix: 'Copy the production address of the webhook node, and switch the workflow on.',
      }
    case 'Power Automate':
      if (searchParams.has('sig')) return null
      return {
        verdict: 'warn',
        sentence:
          'The address of this flow has no key (“sig=…”): it is incomplete, or the flow takes signed-in people only.',
        fix: 'Choose “Anyone” under “Who can trigger the flow?”, save the flow and copy its whole address again.',
      }
    case 'Google Apps Script':
      if (pathname.endsWith('/dev')) {
        return {
          verdict: 'fail',
          sentence:
            'This is the test address of the script (“…/dev”): only you can open it, while signed in to Google.',
          fix: 'Deploy the script as a web app for “Anyone” and copy the address that ends in “/exec”.',
        }
      }
      return {
        verdict: 'warn',
        sentence:
          'Google Apps Script runs the script and then answers with a redirect (302). That counts as not delivered, so the script would run again with every retry.',
        fix: 'Put a tool in between that answers by itself, such as Make or Zapier, and let it call the script.',
      }
    case 'Zapier':
    case 'Make':
      return null
  }
}

/**
 * What an answer of this tool means where it means something particular; null = what it would mean from anybody.
 * `to`: an event, or a look that carries none.
 */
export function answerWord(tool: AutomationTool | null, status: number, to: 'event' | 'look'): ToolWord | null {
  if (!tool) return null
  const { name, thing } = tool
  const good = status >= 200 && status < 300
  const unknown = status === 404 || status === 410
  switch (name) {
    case 'Zapier':
      // "Zapier will always return a success message … regardless of whether there is a Zap behind the webhook".
      if (good) {
        return {
          verdict: 'ok',
          sentence: `Zapier answered ${status}. It says so even while the Zap is switched off: whether it runs is only to be seen there.`,
          fix: null,
        }
      }
      return unknown ? missing(name, thing, status) : null
    case 'n8n':
      if (good && to === 'look') {
        return {
          verdict: 'ok',
          sentence: `n8n answered ${status}. It says so whether or not the workflow is switched on; “Send test event” shows it.`,
          fix: null,
        }
      }
      return status === 404 ? missing(name, thing, status) : null
    case 'Make':
      if (status === 400 && to === 'event') {
        return {
          verdict: 'fail',
          sentence: 'Make answered 400: the queue of the scenario may be full.',
          fix: 'Look at the webhook’s queue in Make, and at whether the scenario is switched on.',
        }
      }
      return unknown ? missing(name, thing, status) : null
    case 'Power Automate':
      if (status === 401 || status === 403) {
        return {
          verdict: to === 'event' ? 'fail' : 'warn',
          sentence: `Power Automate answered ${status}: the address is incomplete, or the flow takes signed-in people only.`,
          fix: 'Choose “Anyone” under “Who can trigger the flow?”, save the flow and copy its whole address again.',
        }
      }
      return unknown ? missing(name, thing, status) : null
    case 'Google Apps Script':
      if (to === 'look' && (status === 405 || status === 400)) {
        return { verdict: 'ok', sentence: `Google answered ${status}: scripts are only run by events.`, fix: null }
      }
      if (status >= 300 && status < 400) {
        return {
          verdict: 'warn',
          sentence: `Google answered ${status}: the script has run, but a redirect counts as not delivered, so it runs again with every retry.`,
          fix: 'Put a tool in between that answers by itself, such as Make or Zapier, and let it call the script.',
        }
      }
      if (status === 401 || status === 403) {
        return {
          verdict: to === 'event' ? 'fail' : 'warn',
          sentence: `Google answered ${status}: the script is not open to everybody.`,
          fix: 'Deploy it as a web app with access for “Anyone”, and copy the address that ends in “/exec”.',
        }
      }
      return unknown ? missing(name, thing, status) : null
  }
}

function missing(name: string, thing: string, status: number): ToolWord {
  return {
    verdict: 'fail',
    sentence: `${name} answered ${status}: the ${thing} may be switched off or deleted, or the address was not copied completely.`,
    fix: `Open the ${thing} in ${name}, switch it on, and copy its address again.`,
  }
}
