import { createContext, type ReactNode, useCallback, useContext, useEffect, useRef, useState } from 'react'
import type { Flash } from '#app/lib/flash.ts'
import { useOnDemand } from './on-demand.tsx'
import { TOAST, type ToastMessage } from './toast-message.ts'

const ToastContext = createContext<(message: Flash) => void>(() => {})
const FlashContext = createContext<Flash | null>(null)

/** Shows a message for five seconds; it replaces the previous one. */
export function useToast(): (message: Flash) => void {
  return useContext(ToastContext)
}

/** The server's message while no toast can show it. */
export function usePlainFlash(): Flash | null {
  return useContext(FlashContext)
}

async function loadToaster() {
  return (await import('./toaster.tsx')).Toaster
}

interface ToastProviderProps {
  /** The server's message for this page. */
  flash: Flash | null
  children: ReactNode
}

export function ToastProvider({ flash, children }: ToastProviderProps) {
  const [message, setMessage] = useState<ToastMessage | null>(null)
  const lastId = useRef(0)
  const { part: Toaster, failed } = useOnDemand(loadToaster, message !== null)

  const show = useCallback((next: Flash) => {
    lastId.current += 1
    setMessage({ ...next, id: lastId.current, open: true })
  }, [])

  useEffect(() => {
    if (flash) show(flash)
  }, [flash, show])

  const dismissed = message !== null && !message.open
  useEffect(() => {
    if (!dismissed) return
    const timer = setTimeout(() => setMessage(null), TOAST.forgetAfterMs)
    return () => clearTimeout(timer)
  }, [dismissed])

  return (
    <ToastContext.Provider value={show}>
      <FlashContext.Provider value={Toaster ? null : failed ? message : flash}>{children}</FlashContext.Provider>
      {Toaster && message ? (
        <Toaster
          message={message}
          onOpenChange={(open) =>
            setMessage((current) => (current?.id === message.id ? { ...current, open } : current))
          }
        />
      ) : null}
    </ToastContext.Provider>
  )
}
