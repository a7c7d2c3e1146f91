// Round-robin: first between accounts, then between the endpoints of an account.

export interface Ring<Owner, Member> {
  add(owner: Owner, member: Member): void
  remove(owner: Owner, member: Member): void
  /** The next member that `fits`; moves the member and its owner to the end of the queue. Null = none fits. */
  next(fits: (member: Member) => boolean): Member | null
}

/** Maps and sets keep insertion order, so removing and re-adding an entry rotates the turns. */
export function createRing<Owner, Member>(): Ring<Owner, Member> {
  const owners = new Map<Owner, Set<Member>>()
  return {
    add(owner, member) {
      const members = owners.get(owner)
      if (members) members.add(member)
      else owners.set(owner, new Set([member]))
    },
    remove(owner, member) {
      const members = owners.get(owner)
      if (members?.delete(member) && members.size === 0) owners.delete(owner)
    },
    next(fits) {
      for (const [owner, members] of owners) {
        for (const member of members) {
          if (!fits(member)) continue
          members.delete(member)
          members.add(member)
          owners.delete(owner)
          owners.set(owner, members)
          return member
        }
      }
      return null
    },
  }
}
