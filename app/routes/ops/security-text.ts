import type { LoaderFunctionArgs } from '@remix-run/node'
import { methodNotAllowed } from '#app/http/respond.ts'
import { securityText } from '#app/lib/security-contact.ts'

/** `/.well-known/security.txt`: the contact for security reports. 404 when SECURITY_CONTACT is not set. */
export function loader({ context }: LoaderFunctionArgs): Response {
  const { clock, settings } = context.app
  const text = securityText(settings, clock.now())
  if (text === null) throw new Response(null, { status: 404 })
  return new Response(text, {
    headers: { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'public, max-age=86400' },
  })
}

export const action = () => methodNotAllowed(['GET'])
