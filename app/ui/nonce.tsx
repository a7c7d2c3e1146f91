import { createContext, useContext } from 'react'

/** The nonce of this answer's Content-Security-Policy. Empty in the browser, which hides it from scripts. */
export const NonceContext = createContext<string>('')

export function useNonce(): string {
  return useContext(NonceContext)
}
