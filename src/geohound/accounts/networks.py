"""Who counts as one visitor: an address, or a whole network where one visitor has one."""

from __future__ import annotations

import ipaddress


def network_of(host: str) -> str:
    """The address itself; of an IPv6 address the /64, as many addresses as one likes are given to anybody."""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host
    if address.version == 4:
        return host
    # as a socket for both families names visitors of the older one
    if address.ipv4_mapped:
        return str(address.ipv4_mapped)
    return str(ipaddress.ip_network((int(address) >> 64 << 64, 64)))
