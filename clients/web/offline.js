/** The page that is shown without a connection: it loads the wanted one again when there may be one. */

const again = () => location.reload();
document.querySelector("button")?.addEventListener("click", again);
window.addEventListener("online", again);
