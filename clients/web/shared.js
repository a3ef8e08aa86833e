/** Leads from the address of a shared game or position to the page; `/g/ID#14` means the position after 14 plies. */

const link = /** @type {HTMLAnchorElement} */ (document.getElementById("to"));
const ply = /^#(\d{1,4})$/.exec(location.hash)?.[1];
// In place of this document, so that going back leads to where the link was.
location.replace(ply && /#\/m\/[\w-]+$/.test(link.href) ? `${link.href}/${ply}` : link.href);
