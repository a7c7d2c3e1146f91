// Three tiny pages between a signed opening and the add-on. Plain HTML: visible for a moment, or when something fails.
import { escapeHtml, plainHtml } from './refusal-page.ts'

/** The pages that an opening may lead to: by name, so that no address comes from a form. */
export const LAUNCH_GOALS = { manager: '/fieldhook', subscription: '/subscription' } as const
type LaunchGoal = keyof typeof LAUNCH_GOALS

export function readLaunchGoal(text: string | null): LaunchGoal {
  return text === 'subscription' ? text : 'manager'
}

/**
 * The answer to a signed opening, which the platform shows in its frame: the script goes to `/launch` at our own
 * address with the ticket behind `#` (never sent, never logged); without scripts a button posts it.
 * @param origin our public origin; @param ticket base64url
 */
export function openingPage({ origin, ticket, nonce }: { origin: string; ticket: string; nonce: string }): Response {
  return page(
    200,
    `<p>Opening Fieldhook…</p>
<form method="post" action="${escapeHtml(origin)}/launch"><input type="hidden" name="ticket" value="${escapeHtml(ticket)}"><button type="submit">Open Fieldhook</button></form>
<script nonce="${escapeHtml(nonce)}">location.replace(${JSON.stringify(`${origin}/launch#${ticket}`)})</script>`,
    origin,
  )
}

/** Posts the ticket behind `#` from our own address, so that the browser treats it as same-origin. */
export function launchPage({ nonce }: { nonce: string }): Response {
  return page(
    200,
    `<p id="words">Opening Fieldhook…</p>
<form method="post" action="/launch"><input type="hidden" name="ticket"></form>
<noscript><p>Please open the add-on from ServiceM8 again.</p></noscript>
<script nonce="${escapeHtml(nonce)}">
const ticket = location.hash.slice(1)
history.replaceState(null, '', '/launch')
if (ticket) {
  document.forms[0].elements.ticket.value = ticket
  document.forms[0].submit()
} else document.getElementById('words').textContent = 'Please open the add-on from ServiceM8.'
</script>`,
  )
}

/**
 * Shown outside the platform's frame, and when another account would join the session: sign-in needs a click.
 * @param accountName the account whose add-on opens; @param ticket a new one; @param to the target page
 */
export function launchAskPage({
  accountName,
  ticket,
  to,
}: {
  accountName: string
  ticket: string
  to: LaunchGoal
}): Response {
  return page(
    200,
    `<h1>Open Fieldhook as ${escapeHtml(accountName)}?</h1>
<p>Press only if you opened it from ServiceM8 just now.</p>
<form method="post" action="/launch"><input type="hidden" name="ticket" value="${escapeHtml(ticket)}"><input type="hidden" name="to" value="${to}"><button type="submit" name="confirmed" value="yes">Open as ${escapeHtml(accountName)}</button></form>`,
  )
}

function page(status: number, body: string, origin = ''): Response {
  const html = plainHtml(body, { title: '', origin })
  return new Response(html, { status, headers: { 'Content-Type': 'text/html; charset=utf-8' } })
}
