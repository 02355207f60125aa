// The content of the page; all other scripts read it from here.
const data = JSON.parse(document.getElementById("data").textContent);
