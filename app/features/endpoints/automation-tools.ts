// The automation tools behind most addresses, and the meaning of their answers. Every statement comes from the tool's
// own help pages; where those say nothing, this file says nothing.

export interface AutomationTool {
  name: 'Zapier' | 'Make' | 'n8n' | 'Power Automate' | 'Google Apps Script'
  /** What a person turns on in the tool. */
  thing: 'Zap' | 'scenario' | 'workflow' | 'flow' | 'deployment'
}

/** The verdict on a tool's answer or address, with a sentence and the next step. */
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

const OPEN_THE_FLOW = 'Choose “Anyone” under “Who can trigger the flow?” and save. Then copy the whole address again.'
const ANSWER_FOR_THE_SCRIPT = 'Put a tool in between that answers itself: Make or Zapier. Let it call the script.'

/**
 * Returns the tool an address belongs to, or null for an unknown one. People also host n8n themselves: its paths or the
 * words of its answer identify it there.
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

/** Returns what is visibly wrong with the address itself, without calling it; null when nothing is. */
export function addressWord(tool: AutomationTool | null, url: string): ToolWord | null {
  if (!tool || !URL.canParse(url)) return null
  const { pathname, searchParams } = new URL(url)
  switch (tool.name) {
    case 'n8n':
      if (!pathname.startsWith('/webhook-test/')) return null
      return {
        verdict: 'warn',
        sentence: 'This is the test address of n8n. It takes one event while the editor listens, then none.',
        fix: 'Copy the production address of the webhook node. Then switch the workflow on.',
      }
    case 'Power Automate':
      if (searchParams.has('sig')) return null
      return {
        verdict: 'warn',
        sentence:
          'The address of this flow has no key (“sig=…”). It is incomplete, or the flow takes signed-in people only.',
        fix: OPEN_THE_FLOW,
      }
    case 'Google Apps Script':
      if (pathname.endsWith('/dev')) {
        return {
          verdict: 'fail',
          sentence: 'This is the test address of the script (“…/dev”). Only you can open it, signed in to Google.',
          fix: 'Deploy the script as a web app for “Anyone”. Copy the address that ends in “/exec”.',
        }
      }
      return {
        verdict: 'warn',
        sentence:
          'Google Apps Script runs the script, then redirects (302). A redirect is a failed delivery, so every retry runs it again.',
        fix: ANSWER_FOR_THE_SCRIPT,
      }
    case 'Zapier':
    case 'Make':
      return null
  }
}

/** Returns null when the answer has no special meaning for this tool. */
type AnswerReader = (status: number, to: 'event' | 'check') => ToolWord | null

/**
 * Explains an answer that has a special meaning for this tool; null when it means the same as from any server. `to`: an
 * event, or a check, which carries no event.
 */
export function answerWord(tool: AutomationTool | null, status: number, to: 'event' | 'check'): ToolWord | null {
  if (!tool) return null
  const unknown = status === 404 || (status === 410 && tool.name !== 'n8n')
  return unknown ? missing(tool, status) : OWN_ANSWERS[tool.name](status, to)
}

const OWN_ANSWERS: Record<AutomationTool['name'], AnswerReader> = {
  // "Zapier will always return a success message … regardless of whether there is a Zap behind the webhook".
  Zapier: (status) =>
    isGood(status)
      ? fine(`Zapier answered ${status}, as it does even with the Zap off. Check in Zapier whether it runs.`)
      : null,
  n8n: (status, to) =>
    isGood(status) && to === 'check'
      ? fine(`n8n answered ${status}, as it does even with the workflow off. “Send test event” shows whether it runs.`)
      : null,
  Make: (status, to) =>
    status === 400 && to === 'event'
      ? {
          verdict: 'fail',
          sentence: 'Make answered 400: the queue of the scenario may be full.',
          fix: 'Check the webhook’s queue in Make. Is the scenario switched on?',
        }
      : null,
  'Power Automate': (status, to) =>
    isDenied(status)
      ? {
          verdict: to === 'event' ? 'fail' : 'warn',
          sentence: `Power Automate answered ${status}. The address is incomplete, or the flow takes signed-in people only.`,
          fix: OPEN_THE_FLOW,
        }
      : null,
  'Google Apps Script': (status, to) => {
    if (to === 'check' && (status === 405 || status === 400)) {
      return fine(`Google answered ${status}: scripts are only run by events.`)
    }
    if (status >= 300 && status < 400) {
      return {
        verdict: 'warn',
        sentence: `Google answered ${status}: the script ran. A redirect is a failed delivery, so every retry runs it again.`,
        fix: ANSWER_FOR_THE_SCRIPT,
      }
    }
    if (!isDenied(status)) return null
    return {
      verdict: to === 'event' ? 'fail' : 'warn',
      sentence: `Google answered ${status}: the script is not open to everybody.`,
      fix: 'Deploy it as a web app with access for “Anyone”. Copy the address that ends in “/exec”.',
    }
  },
}

const isGood = (status: number) => status >= 200 && status < 300
const isDenied = (status: number) => status === 401 || status === 403

function fine(sentence: string): ToolWord {
  return { verdict: 'ok', sentence, fix: null }
}

function missing({ name, thing }: AutomationTool, status: number): ToolWord {
  return {
    verdict: 'fail',
    sentence: `${name} answered ${status}: the ${thing} may be switched off or deleted. The address may also be incomplete.`,
    fix: `Open the ${thing} in ${name} and switch it on. Copy its address again.`,
  }
}
