import { type ActionFunctionArgs, data, type LoaderFunctionArgs, type MetaFunction, redirect } from '@remix-run/node'
import { useLoaderData } from '@remix-run/react'
import { accountIdIn } from '#app/domain/account-id.ts'
import { GATE_GREETINGS, isLinkProof } from '#app/features/accounts/gate.ts'
import { findLinkTarget, linkAccountId } from '#app/features/accounts/link.server.ts'
import { afterLinkAddress } from '#app/features/accounts/link-address.ts'
import { ACCOUNT_LINKED, linkedSentence } from '#app/features/accounts/sign-in.ts'
import { LinkQuestion } from '#app/features/accounts/ui/link-question.tsx'
import { setFlash } from '#app/http/flash.server.ts'
import { unstoredPageHeaders } from '#app/http/page-caching.ts'
import { requireRate } from '#app/http/rate-limit.server.ts'
import type { Flash } from '#app/lib/flash.ts'

export const meta: MetaFunction = () => [{ title: 'Link this account? · Fieldhook' }]

// The address contains a proof.
export const headers = unstoredPageHeaders

/** `/link?accountUUID=&token=&to=`: an address with a proof for an unknown id. Changes nothing. */
export async function loader({ request, context: { app } }: LoaderFunctionArgs) {
  const url = new URL(request.url)
  const proof = proofIn(url)
  const back = afterLinkAddress(url)
  if (proof === null || (await app.store.accounts.resolveAccountId(proof.externalId)) !== null) throw redirect(back)
  const target = await findLinkTarget(app, proof)
  if (target.outcome === 'refused') throw redirect(back, { headers: { 'Set-Cookie': setFlash(app, NOT_LINKED) } })
  const { externalId } = proof
  return data({ externalId, accountName: target.accountName, address: `${url.pathname}${url.search}`, back })
}

/** The button: from now on the id leads to the proof's account. A mapping is not a session: sign-in stays as usual. */
export async function action({ request, context }: ActionFunctionArgs) {
  const { app, clientIp } = context
  const url = new URL(request.url)
  requireRate(app, 'link', clientIp)
  const proof = proofIn(url)
  const linked = proof && (await linkAccountId(app, proof))
  const flash: Flash =
    proof && linked?.outcome === 'linked'
      ? { kind: 'success', title: ACCOUNT_LINKED, description: linkedSentence(proof.externalId) }
      : NOT_LINKED
  throw redirect(afterLinkAddress(url), { status: 303, headers: { 'Set-Cookie': setFlash(app, flash) } })
}

const NOT_LINKED: Flash = { kind: 'error', title: GATE_GREETINGS.checkFailed }

function proofIn({ searchParams }: URL): { externalId: string; token: string } | null {
  const externalId = accountIdIn(searchParams)
  const token = searchParams.get('token')
  return externalId !== null && isLinkProof(token) ? { externalId, token } : null
}

export default function Link() {
  return <LinkQuestion {...useLoaderData<typeof loader>()} />
}
