// The consent pages for the add-on. Plain HTML, works without JavaScript.
import { escapeHtml } from '../html.ts'

const STYLE = `
*{box-sizing:border-box}
body{margin:0;min-height:100vh;display:grid;place-items:center;padding:16px;background:#eef2f6;color:#1b2733;
font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
main{width:100%;max-width:460px;background:#fff;border:1px solid #d5dde6;border-radius:12px;padding:28px}
.stage{margin:0 0 16px;font-size:13px;color:#4d5f71}
h1{margin:0 0 8px;font-size:22px;line-height:1.3}
h2,legend{margin:20px 0 6px;padding:0;font-size:15px;font-weight:600}
fieldset{margin:0;padding:0;border:0}
label{display:flex;gap:10px;align-items:center;padding:10px 12px;border:1px solid #d5dde6;border-radius:8px;margin-top:6px;cursor:pointer}
label:has(:checked){border-color:#0b62c4;background:#f1f7fe}
label span{display:block}
small{color:#4d5f71}
.warn{padding:10px 12px;border-radius:8px;background:#fff6e0;border:1px solid #e8cf8a;font-size:14px}
details{margin-top:16px}
summary{cursor:pointer;font-weight:600;font-size:15px}
ul{margin:8px 0 0;padding-left:20px;columns:2;font-size:13px;overflow-wrap:anywhere}
.buttons{display:flex;gap:10px;margin-top:24px}
button{flex:1;font:inherit;font-weight:600;padding:11px;border-radius:8px;border:1px solid #9fb0c2;background:#fff;color:#1b2733;cursor:pointer}
button.yes{background:#0b62c4;border-color:#0b62c4;color:#fff}
:focus-visible{outline:3px solid #7db4f2;outline-offset:2px}
@media (prefers-color-scheme:dark){
body{background:#10161d;color:#e6edf4}main{background:#19222c;border-color:#31404f}
.stage,small{color:#a9bac9}label{border-color:#31404f}label:has(:checked){background:#16304c;border-color:#6fb0fa}
.warn{background:#3a3013;border-color:#6b5a22}button{background:#19222c;color:#e6edf4;border-color:#556a7e}
button.yes{background:#2f7fdc;border-color:#2f7fdc;color:#fff}}
`

/** Scopes that can cost the account money: the consent page says so. */
const COSTLY = new Set(['publish_sms', 'create_jobs'])

interface ConsentPage {
  /** The path the form posts to, on this origin. */
  action: string
  ticket: string
  scopes: readonly string[]
  accounts: readonly { uuid: string; name: string; timezone: string }[]
  /** The preselected account; '' = the person has to choose, so that nobody consents for the wrong firm. */
  chosen: string
  nonce: string
}

/** The account, the scopes, Allow or Deny. Fields posted: `ticket`, `account`, `decision` (accept or deny). */
export function consentPage(page: ConsentPage): string {
  const costly = page.scopes.filter((scope) => COSTLY.has(scope))
  const accounts = page.accounts.map(
    (one) =>
      `<label><input type="radio" name="account" value="${escapeHtml(one.uuid)}" required${
        one.uuid === page.chosen ? ' checked' : ''
      }><span>${escapeHtml(one.name)}<br><small>${escapeHtml(one.timezone)}</small></span></label>`,
  )
  return shell(
    'Connect Fieldhook',
    page.nonce,
    `<p class="stage">This is a pretend ServiceM8. Nothing here reaches a real account.</p>
<h1>Fieldhook would like to connect to your account</h1>
<p class="warn">This add-on is unverified: it is not listed in the store.</p>
<form method="post" action="${escapeHtml(page.action)}">
<input type="hidden" name="ticket" value="${escapeHtml(page.ticket)}">
<fieldset><legend>Sign in as</legend>
${accounts.join('\n')}
</fieldset>
<details><summary>What it asks for (${page.scopes.length})</summary><ul>
${page.scopes.map((scope) => `<li>${escapeHtml(scope)}</li>`).join('')}
</ul></details>
${costly.length > 0 ? `<p><small>${escapeHtml(costly.join(' and '))} can cause charges.</small></p>` : ''}
<div class="buttons">
<button type="submit" name="decision" value="deny" formnovalidate>Deny</button>
<button type="submit" name="decision" value="accept" class="yes">Allow</button>
</div>
</form>`,
  )
}

/** The error page when there is no safe address to redirect the person to. */
export function trouble(title: string, text: string, nonce: string): string {
  return shell(
    title,
    nonce,
    `<p class="stage">This is a pretend ServiceM8.</p><h1>${escapeHtml(title)}</h1><p>${escapeHtml(text)}</p>`,
  )
}

function shell(title: string, nonce: string, content: string): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title><style nonce="${escapeHtml(nonce)}">${STYLE}</style></head>
<body><main>
${content}
</main></body></html>
`
}
