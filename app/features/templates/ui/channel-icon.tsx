import { Briefcase, type LucideIcon, Mail, MessageSquareText, Users, Webhook } from 'lucide-react'
import type { Channel } from '../template-view.ts'

const icons: Record<Channel, { icon: LucideIcon; says: string }> = {
  sms: { icon: MessageSquareText, says: 'Text message' },
  email: { icon: Mail, says: 'E-mail' },
  staff: { icon: Users, says: 'Staff message' },
  job: { icon: Briefcase, says: 'Change in ServiceM8' },
  other_system: { icon: Webhook, says: 'Other software' },
}

/** How a template reaches people. */
export function ChannelIcon({ channel }: { channel: Channel }) {
  const { icon: Icon, says } = icons[channel]
  return (
    <span
      role="img"
      aria-label={says}
      className="grid size-9 shrink-0 place-items-center rounded-pill bg-accent-soft text-accent"
    >
      <Icon aria-hidden className="size-4.5" />
    </span>
  )
}
