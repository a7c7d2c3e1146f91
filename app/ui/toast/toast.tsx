import { useLocation } from '@remix-run/react'
import { createContext, type ReactNode, useCallback, useContext, useEffect, useRef, useState } from 'react'
import type { Flash } from '#app/lib/flash.ts'
import { useAnnounce } from '../announcer.tsx'
import { useHydrated } from '../hydrated.tsx'
import { useOnDemand } from '../on-demand.tsx'
import { TOAST, type ToastMessage } from './toast-message.ts'

const ToastContext = createContext<(message: Flash) => void>(() => {})
const FlashContext = createContext<Flash | null>(null)
const PlacedContext = createContext<Flash | null>(null)

/** Shows a message for five seconds; it replaces the previous one. */
export function useToast(): (message: Flash) => void {
  return useContext(ToastContext)
}

/** Shows the message of an answer once. */
export function useAnswerToast(message: Flash | null | undefined): void {
  const toast = useToast()
  useEffect(() => {
    if (message) toast(message)
  }, [message, toast])
}

/** The server's message while no toast can show it. */
export function usePlainFlash(): Flash | null {
  return useContext(FlashContext)
}

/** The server's message for this place of the page; null when there is none. */
export function usePlacedFlash(at: string): Flash | null {
  const placed = useContext(PlacedContext)
  return placed?.at === at ? placed : null
}

const loadToaster = async () => (await import('./toaster.tsx')).Toaster

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

  const { placed, isPlaced } = usePlaced(flash)
  const hydrated = useHydrated()
  useEffect(() => {
    if (flash && !isPlaced) show(flash)
  }, [flash, isPlaced, show])

  const dismissed = message !== null && !message.open
  useEffect(() => {
    if (!dismissed) return
    const timer = setTimeout(() => setMessage(null), TOAST.forgetAfterMs)
    return () => clearTimeout(timer)
  }, [dismissed])

  return (
    <ToastContext.Provider value={show}>
      <FlashContext.Provider value={Toaster ? null : failed ? message : isPlaced && hydrated ? null : flash}>
        <PlacedContext.Provider value={placed}>{children}</PlacedContext.Provider>
      </FlashContext.Provider>
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

/** A message with a place stays there until the next message, or until the page is left. */
function usePlaced(flash: Flash | null) {
  const announce = useAnnounce()
  const { pathname } = useLocation()
  const [latest, setLatest] = useState({ flash, pathname })
  if (flash !== null && flash !== latest.flash) setLatest({ flash, pathname })
  const isPlaced = flash?.at !== undefined
  useEffect(() => {
    if (flash && isPlaced) announce([flash.title, flash.description].filter(Boolean).join('. '))
  }, [flash, isPlaced, announce])
  return { placed: latest.pathname === pathname ? latest.flash : null, isPlaced }
}
