import { createContext, useContext } from 'react'

/** The CSP nonce of this response. Empty in the browser, which hides it from scripts. */
export const NonceContext = createContext<string>('')

export function useNonce(): string {
  return useContext(NonceContext)
}
